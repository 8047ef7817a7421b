// A devnet that repeats another exchange by a mirror, and an account of ours on it.

import { createExchange, type Exchange } from "../../../src/devnet/exchange.ts";
import type { Book, Level } from "../../../src/domain/book.ts";
import type { Trade } from "../../../src/domain/fill.ts";
import { type AccountId, accountId, orderId, price, type Side, size, usdc } from "../../../src/domain/units.ts";
import { createVirtualClock } from "../../../src/kernel/virtual-clock.ts";
import { Mirror } from "../../../src/paper/mirror.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../../src/wire/signing-simulated.ts";
import { plainAccount, plainExchange, plainMarket, plainOrder } from "../../support/plain-exchange.ts";

export const MARKET = 1;
export const START_MS = 1_790_000_000_000;
const OWNER = "11".repeat(32);
const ours = accountId(1n);
export const maker = accountId(2n);
const taker = accountId(3n);
const TICK = 1_000_000n;

/** Price at so many ticks of a cent. */
export const at = (ticks: number) => price(BigInt(ticks) * TICK);
export const lots = (units: number) => size(BigInt(units));
export const level = (ticks: number, units: number): Level => ({ price: at(ticks), size: lots(units), orderCount: 1 });
export const bookOf = (bids: readonly Level[], asks: readonly Level[]): Book => ({ marketId: MARKET, bids, asks });

export type MirrorScene = {
  readonly exchange: Exchange;
  readonly mirror: Mirror;
  /** Shows the other exchange's book. */
  readonly show: (book: Book) => void;
  /** A trade of the other exchange. */
  readonly trade: (takerSide: Side, ticks: number, units: number) => Trade;
  /** Places an order of ours; returns its number. */
  readonly place: (side: Side, ticks: number, units: number, of?: { readonly postOnly?: boolean }) => bigint;
  /** Contracts that we hold, in size units, signed. */
  readonly held: () => number;
  readonly advance: (ms: number) => Promise<void>;
};

export function mirrorScene(model: "riskAverse" | "optimistic"): MirrorScene {
  const world = createVirtualClock({ startMs: START_MS, settle: () => Promise.resolve() });
  const account = (id: AccountId, dollars: bigint) =>
    plainAccount({ accountId: id, owner: OWNER, collateral: usdc(dollars * 1_000_000n) });
  const exchange = createExchange(
    {
      config: plainExchange({
        accounts: [account(ours, 100_000n), account(maker, 10n ** 10n), account(taker, 10n ** 10n)],
        markets: [{ ...plainMarket, isFundingExternal: true }],
        openOrderCap: 100_000,
        lastOrderId: 1_000_000,
      }),
      isExplored: false,
    },
    {
      clock: world,
      verifier: keyedHashVerifier,
      enclave: { entropy: { bytes: (count) => new Uint8Array(count) }, signerOf: keyedHashSigner },
      log: () => {},
    },
  );
  exchange.chain.start();
  const mirror = new Mirror({ maker, taker, model, markets: [MARKET] }, exchange.chain);
  let trades = 0n;
  const receivedMs = 0;
  return {
    exchange,
    mirror,
    show: (book) => mirror.apply({ kind: "book", book, receivedMs }),
    trade(takerSide, ticks, units) {
      trades += 1n;
      const trade: Trade = {
        marketId: MARKET,
        price: at(ticks),
        size: lots(units),
        takerSide,
        takerOrderId: orderId(trades),
        makerOrderId: orderId(trades + 500_000n),
        txHash: `trade ${trades}`,
        timestampMs: null,
      };
      mirror.apply({ kind: "trade", trade, receivedMs });
      return trade;
    },
    place(side, ticks, units, { postOnly = true } = {}) {
      const order = plainOrder({
        accountId: ours,
        marketId: MARKET,
        side,
        price: at(ticks),
        size: lots(units),
        postOnly,
      });
      const receipt = exchange.chain.act({ accountId: ours, transaction: order });
      if (receipt.status === "failed") throw new Error(receipt.error);
      const placed = receipt.events.find((event) => event.type === "OrderPlaced");
      if (placed?.type !== "OrderPlaced") throw new Error("no order was placed");
      return placed.order.orderId;
    },
    held() {
      const position = exchange.chain.reads.account(ours)?.positions[0];
      if (position === undefined) return 0;
      return Number(position.size) * (position.side === "buy" ? 1 : -1);
    },
    advance: (ms) => world.advance(ms),
  };
}
