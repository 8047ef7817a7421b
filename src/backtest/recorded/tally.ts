// The result of fills by source of profit: the same sums over a session's real fills and over those that a model predicts.

import { type AccountBook, createAccountBook, foldBook } from "../../bot/accounting/account-book.ts";
import { emptyMarketBook, type Pnl, pnlComponents, pnlOf } from "../../bot/accounting/market-book.ts";
import type { Fill } from "../../domain/fill.ts";
import { divideCeil } from "../../domain/rounding.ts";
import {
  type AccountId,
  type MarketId,
  NOTIONAL_DIVISOR,
  type Price,
  type Size,
  type Usdc,
  usdc,
} from "../../domain/units.ts";
import { MarketRecord } from "../market-record.ts";

/** A funding rate of 1 in its parts. */
const RATE_PARTS = 1_000_000_000n;

/** `reads`: of the position, before any fill: one where a position was held at the start. */
type Held = { readonly record: MarketRecord; readonly book: AccountBook; reads: number };

export class Tally {
  readonly #startMs: number;
  readonly #accounts = new Map<AccountId, AccountBook>();
  readonly #markets = new Map<MarketId, Map<AccountId, Held>>();

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /** Opens with a position held before, signed, worth `mid` per contract then. */
  open(account: AccountId, marketId: MarketId, inventory: Size, mid: Price): void {
    const held = this.#held(account, marketId);
    held.record.open(inventory);
    held.reads = 1;
    const read = { inventory, entryPrice: mid, oraclePrice: mid };
    foldBook(held.book, { kind: "position", marketId, number: held.reads, isAdopted: false, ...read });
  }

  /** Takes a fill; `mid` before it, without the bot's orders. */
  fill(fill: Fill, mid: Price, atMs: number): void {
    const { record, book, reads } = this.#held(fill.accountId, fill.marketId);
    // Its realized profit uses our own cost: a position from before is worth its mid here, whatever its purchase price.
    foldBook(book, { ...record.fill({ ...fill, realizedPnl: null }, mid, atMs), readsBefore: reads });
  }

  printed(marketId: MarketId, validUntilSec: number, mid: Price, atMs: number): void {
    for (const { record, book } of this.#in(marketId)) {
      const before = record.printed(validUntilSec, mid, atMs);
      if (before !== null) foldBook(book, before);
    }
  }

  /** Takes the market's current price. */
  follow(marketId: MarketId, mid: Price, atMs: number): void {
    for (const { record, book } of this.#in(marketId)) {
      const print = record.block(atMs, () => mid);
      if (print !== null) foldBook(book, print);
    }
  }

  /** Books a settlement: `rate` in parts per billion of notional at the oracle price, paid by longs. What is owed rounds up. */
  settled(marketId: MarketId, rate: bigint, oraclePrice: Price, atSec: number): void {
    for (const { record, book } of this.#in(marketId)) {
      const owed = divideCeil(record.inventory * ((rate * oraclePrice) / RATE_PARTS), NOTIONAL_DIVISOR);
      foldBook(book, { kind: "funding", marketId, atSec, amount: usdc(-owed) });
    }
  }

  /** Over all accounts and markets; positions at these mids. */
  end(
    mids: ReadonlyMap<MarketId, Price>,
    atMs: number,
  ): { readonly fills: number; readonly volume: Usdc; readonly pnl: Pnl } {
    let [fills, volume] = [0, 0n];
    const pnl = new Map(pnlComponents.map((component) => [component, 0n]));
    for (const [marketId, accounts] of this.#markets) {
      const mid = mids.get(marketId);
      if (mid === undefined) continue;
      for (const { record, book } of accounts.values()) {
        const print = record.end(atMs, mid);
        if (print !== null) foldBook(book, print);
        fills += record.fills;
        volume += record.volume;
        const earned = pnlOf(book.markets.get(marketId) ?? emptyMarketBook, mid);
        for (const component of pnlComponents) pnl.set(component, (pnl.get(component) ?? 0n) + earned[component]);
      }
    }
    return { fills, volume: usdc(volume), pnl: Object.fromEntries(pnl) as Pnl };
  }

  #in(marketId: MarketId): Iterable<Held> {
    return this.#markets.get(marketId)?.values() ?? [];
  }

  #held(account: AccountId, marketId: MarketId): Held {
    const accounts = this.#markets.get(marketId) ?? new Map<AccountId, Held>();
    this.#markets.set(marketId, accounts);
    const known = accounts.get(account);
    if (known !== undefined) return known;
    const book = this.#accounts.get(account) ?? createAccountBook();
    this.#accounts.set(account, book);
    const held = { book, record: new MarketRecord(marketId, "", this.#startMs), reads: 0 };
    accounts.set(account, held);
    return held;
  }
}
