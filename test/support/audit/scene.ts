// The exchange under audit: two markets, two masters with a subaccount each and a poor third, with few open orders allowed, so that caps,
// margins and liquidations occur often.

import { withDeductions } from "../../../src/domain/margin.ts";
import { accountId, price, size, usdc } from "../../../src/domain/units.ts";
import { createSigner } from "../../../src/wire/signing.ts";
import { plainAccount, plainExchange, plainMarket } from "../plain-exchange.ts";

export const START_MS = 1_790_000_000_000;
export const CHAIN_ID = "venue-v4:devnet:chain-2";
/** The lowest number that no account has. */
export const BACKSTOP = 1;
export const OPEN_ORDER_CAP = 10;
export const MAKER_FEE_BPS = -1n;
export const TAKER_FEE_BPS = 5n;

const owners = [1, 2, 3].map((byte) => createSigner(new Uint8Array(32).fill(byte)));
const [first, second, third] = owners as [(typeof owners)[0], (typeof owners)[0], (typeof owners)[0]];

export const holders = [
  { id: 10, master: null, owner: first, token: "first", usdc: 20_000_000_000n },
  { id: 11, master: 10, owner: first, token: "first", usdc: 3_000_000_000n },
  { id: 20, master: null, owner: second, token: "second", usdc: 50_000_000_000n },
  { id: 21, master: 20, owner: second, token: "second", usdc: 1_500_000_000n },
  { id: 30, master: null, owner: third, token: "third", usdc: 700_000_000n },
] as const;

/** Takes whole sides of the book at a sequence's end, and does nothing before. */
export const prober = {
  id: 90,
  master: null,
  owner: createSigner(new Uint8Array(32).fill(4)),
  token: "prober",
  usdc: 1_000_000_000_000_000n,
} as const;

export const marketsOfScene = [
  {
    id: 1,
    tick: 1_000_000n,
    oracle: 20_000_000_000n,
    imr: 500,
    tiers: [
      { floor: 0n, leverage: 20 },
      { floor: 20_000_000_000n, leverage: 10 },
      { floor: 100_000_000_000n, leverage: 5 },
    ],
  },
  { id: 2, tick: 7_000n, oracle: 3_333_000_000n, imr: 1000, tiers: [{ floor: 0n, leverage: 10 }] },
] as const;

const maintenance = [250, 400, 800];

export const config = plainExchange({
  chainId: CHAIN_ID,
  clock: { mode: "manual", startMs: START_MS },
  openOrderCap: OPEN_ORDER_CAP,
  accounts: [...holders, prober].map((holder) =>
    plainAccount({
      accountId: accountId(BigInt(holder.id)),
      owner: holder.owner.publicKey,
      masterAccountId: holder.master === null ? null : accountId(BigInt(holder.master)),
      collateral: usdc(holder.usdc),
    }),
  ),
  sessions: ["first", "second", "third"].map((token, at) => ({ token, owner: owners[at]?.publicKey ?? "" })),
  markets: marketsOfScene.map(({ id, tick, oracle, imr, tiers }) => ({
    ...plainMarket,
    marketId: id,
    name: `M${id}`,
    tickSize: price(tick),
    initialMarginRatioBps: imr,
    maxOpenInterest: size(3_000_000_000n),
    oracle: { source: "fixed" as const, price: price(oracle), validForSecs: 864_000 },
    marginTiers: withDeductions(
      tiers.map(({ floor, leverage }, at) => ({
        notionalFloor: usdc(floor),
        maxLeverage: leverage,
        maintenanceMarginRatioBps: maintenance[at] ?? 250,
      })),
    ),
  })),
});
