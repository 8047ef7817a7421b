// A rule that sees only the premium, the others' mid over the oracle price or over what it believes that a contract is worth: it holds a fixed
// number of contracts against each basis point and works toward that with one passive order, so it quotes one side. Its earnings are what the
// crowd gives away.

import type { ChainReads } from "../../src/devnet/chain/reads.ts";
import type { Crowd, CrowdAction } from "../../src/devnet/chain/sources.ts";
import { inventoryOf } from "../../src/domain/account.ts";
import { type AccountId, type MarketId, price, size } from "../../src/domain/units.ts";
import { logBps, type MarketRun } from "./market-run.ts";
import { othersOf, placed } from "./naive-maker.ts";
import type { PrintWorth } from "./print-worth.ts";
import { deviation, mean } from "./statistics.ts";

export type PremiumRule = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Distance of its order from the mid, basis points. */
  readonly halfSpreadBps: number;
  /** Contracts held against each basis point of premium. */
  readonly perBp: number;
  /** What the premium is over. Default: the oracle price. */
  readonly worth?: PrintWorth;
};

/** USDC of one hour. */
export type PremiumHour = {
  /** Cash flows plus the position's value at the mid. */
  readonly total: number;
  /** The same as if each fill were at the mid it found: positions and funding, without spread and rebate. */
  readonly atMid: number;
  /** As if each fill were at the mid five minutes later (of a thin market), because what has reverted by then belongs to the spread. */
  readonly held: number;
};

const PERIOD_MS = 1000;
const CONTRACT = 1_000_000;
const HOUR = 3600;
/** An order stays if its price is within half a basis point of its target and its size within a fifth. */
const TOLERANCE = 0.5 / 10_000;
const SIZE_TOLERANCE = 0.2;
/** Smallest order: a hundredth of a contract. */
const LEAST = CONTRACT / 100;

export class PremiumTrader {
  readonly #rule: PremiumRule;
  /** Log of the others' mid per second, basis points. */
  readonly #mids: number[] = [];

  constructor(rule: PremiumRule) {
    this.#rule = rule;
  }

  /** The crowd and, after it in every block, this rule. */
  readonly beside = (crowd: Crowd): Crowd => ({
    ...crowd,
    act: (height, logicalMs, reads) => {
      const actions = crowd.act(height, logicalMs, reads);
      return logicalMs % PERIOD_MS === 0 ? [...actions, ...this.#look(logicalMs, reads)] : actions;
    },
  });

  #look(logicalMs: number, reads: ChainReads): readonly CrowdAction[] {
    const { accountId, marketId, halfSpreadBps, perBp, worth } = this.#rule;
    const second = logicalMs / PERIOD_MS;
    const others = othersOf({ accountId, marketId }, reads);
    this.#mids[second] = others === undefined ? (this.#mids[second - 1] ?? Number.NaN) : others.logMid;
    if (others === undefined) return [];
    const { own, middle, tick } = others;
    const print = reads.market(marketId)?.oraclePrice ?? price(1n);
    const premiumBps =
      others.logMid - (worth === undefined ? logBps(print) : 10_000 * Math.log(worth.usdAt(print, logicalMs)));
    const wanted = Math.round(-perBp * CONTRACT * premiumBps) - Number(inventoryOf(own.positions[0]));
    const side = wanted > 0 ? "buy" : "sell";
    const [order, ...more] = own.openOrders;
    const cancel: CrowdAction = { accountId, transaction: { type: "CancelAllOrders", marketId } };
    if (Math.abs(wanted) < LEAST) return order === undefined ? [] : [cancel];
    const sign = wanted > 0 ? 1 : -1;
    const exact = (middle * (1 - (sign * halfSpreadBps) / 10_000)) / tick;
    const at = price(BigInt(sign > 0 ? Math.floor(exact) : Math.ceil(exact)) * BigInt(tick));
    const units = Math.abs(wanted);
    if (order === undefined) return [placed({ accountId, marketId, size: units }, side, at)];
    if (order.side !== side || more.length > 0) return [cancel];
    const isThere = Math.abs(Number(order.price - at)) <= middle * TOLERANCE;
    if (isThere && Math.abs(Number(order.remainingSize) - units) <= units * SIZE_TOLERANCE) return [];
    const newSize = size(order.filledSize + BigInt(units));
    return [{ accountId, transaction: { type: "ModifyOrder", orderId: order.orderId, newPrice: at, newSize } }];
  }

  /** Earnings of each whole hour. */
  hours({ trades, payments, seconds, minute }: MarketRun, rebateBps: number): readonly PremiumHour[] {
    const { accountId } = this.#rule;
    const usd = (second: number) => Math.exp((this.#mids[Math.min(second, this.#mids.length - 1)] ?? 0) / 10_000);
    const hours = [...Array(Math.floor(seconds / HOUR))].map(() => ({ total: 0, atMid: 0, held: 0 }));
    let held = 0;
    let next = 0;
    const fills = trades.flatMap(({ second, sign, makers }) =>
      makers
        .filter(({ account }) => account === accountId)
        .map((fill) => ({ ...fill, second, bought: -sign * fill.size })),
    );
    for (const [number, hour] of hours.entries()) {
      const [from, to] = [number * HOUR, (number + 1) * HOUR];
      const moved = held * (usd(to) - usd(from));
      for (const key of ["total", "atMid", "held"] as const) hour[key] += moved;
      for (let fill = fills[next]; fill !== undefined && fill.second < to; fill = fills[++next]) {
        const paid = Math.exp(fill.price / 10_000);
        hour.total += fill.bought * (usd(to) - paid) + (fill.size * paid * rebateBps) / 10_000;
        hour.atMid += fill.bought * (usd(to) - usd(fill.second));
        hour.held += fill.bought * (usd(to) - usd(fill.second + 5 * minute));
        held += fill.bought;
      }
    }
    for (const { second, account, usdc } of payments) {
      const hour = account === accountId ? hours[Math.floor(second / HOUR)] : undefined;
      if (hour !== undefined) for (const key of ["total", "atMid", "held"] as const) hour[key] += usdc;
    }
    return hours;
  }
}

/** Daily Sharpe ratio, from hourly results. */
export function sharpeRatio(hours: readonly PremiumHour[], of: keyof PremiumHour): number {
  const gained = hours.map((hour) => hour[of]);
  return (Math.sqrt(24) * mean(gained)) / deviation(gained);
}
