// Defaults of the bot's tests and benches: an order to place, and an account as a read finds it.

import type { Account } from "../../src/domain/account.ts";
import type { PlaceCommand } from "../../src/domain/command.ts";
import { native, type Price, price, type Size, size, usdc } from "../../src/domain/units.ts";
import type { PositionFact } from "../../src/domain/view.ts";

/** Buys 1 contract at 199 USD, post only, as the first level of a quote, by default. */
export const plainPlace = (of: Pick<PlaceCommand, "accountId"> & Partial<PlaceCommand>): PlaceCommand => ({
  kind: "place",
  marketId: 1,
  side: "buy",
  orderType: "Limit",
  price: price(19_900_000_000n),
  size: size(1_000_000n),
  reduceOnly: false,
  postOnly: true,
  timeInForce: "GTC",
  maxSlippageBps: null,
  level: 0,
  ...of,
});

/** A position that nothing puts in question. */
export const plainHeld = (inventory: Size, entryPrice: Price = price(0n)): PositionFact => ({
  inventory,
  low: inventory,
  high: inventory,
  entryPrice,
});

/** By default holds nothing, and no order rests. */
export const plainRead = (of: Pick<Account, "accountId"> & Partial<Account>): Account => ({
  owner: "0".repeat(64),
  mode: "Cross",
  collateral: usdc(0n),
  availableCollateral: usdc(0n),
  nativeBalance: native(0n),
  positions: [],
  openOrders: [],
  unreadable: [],
  createdAtMs: 0,
  volume30d: usdc(0n),
  feeTierVolume30d: usdc(0n),
  lifetimeVolume: usdc(0n),
  pendingActivation: false,
  pendingActivationFeeUsdc: null,
  agents: [],
  ...of,
});
