// Money that comes from outside while fills come: booked once, exactly and soon, by reads that may be old; without any, nothing is booked.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readsWanted } from "../../src/bot/account/resync.ts";
import { collateralOf, totalsOf } from "../../src/bot/accounting/totals.ts";
import type { Account } from "../../src/domain/account.ts";
import type { Order } from "../../src/domain/order.ts";
import { type Side, size, usdc } from "../../src/domain/units.ts";
import { createPrng, type Prng } from "../../src/kernel/prng.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  CONTRACT,
  createScene,
  execution,
  funding,
  listed,
  ME,
  position,
  publicTrade,
} from "../unit/bot/scene.ts";

const START = account().collateral;
const SECOND_MS = 1000;

/** One instant of the exchange. */
type Instant = {
  readonly atMs: number;
  readonly collateral: bigint;
  readonly contracts: bigint;
  readonly orders: readonly Order[];
};

type World = {
  readonly seed: bigint;
  /** Every fill earns and moves the same, and sides take turns: states look alike. */
  readonly isUniform: boolean;
  /** The order of each side is filled by contracts, or each fill takes a whole one and another takes its place. */
  readonly isInParts: boolean;
  /** How old a read may be, and how late a frame may come, at most, ms. */
  readonly lagMs: number;
  readonly frameMs: number;
};

/** An exchange that fills an order of ours each second or so; the bot hears of it by frames, and reads each second and a bit. */
class Exchange {
  readonly scene = createScene();
  readonly #world: World;
  readonly #prng: Prng;
  #history: Instant[] = [];
  #frames: { readonly atMs: number; readonly tell: () => void }[] = [];
  readonly #orders = new Map<Side, Order>();
  #collateral: bigint = START;
  #contracts = 0n;
  #fills = 0;
  #ids = 0n;
  #side: Side = "buy";
  #nextFillMs: number;
  #nextReadMs: number;

  constructor(world: World) {
    this.#world = world;
    this.#prng = createPrng(world.seed);
    this.#nextFillMs = this.scene.nowMs() + SECOND_MS;
    this.#nextReadMs = this.scene.nowMs() + 2 * SECOND_MS;
    for (const side of ["buy", "sell"] as const) this.#place(side);
    this.#note();
  }

  #draw(below: number): number {
    return Math.floor(this.#prng.float() * below);
  }

  /** As the schedule of reads has it: a second while something is unexplained or doubtful. */
  get #isSoon(): boolean {
    const { state, nowMs } = this.scene;
    const known = state.accounts.get(ME);
    if (known === undefined) return false;
    const { unexplainedSinceMs, isUnconfirmed } = readsWanted(known, state, nowMs());
    return unexplainedSinceMs !== null || isUnconfirmed;
  }

  #place(side: Side): void {
    this.#ids += 1n;
    const whole = size((this.#world.isInParts ? 50n : 1n) * CONTRACT);
    this.scene.rest(this.#ids, this.#ids, { side, size: whole });
    this.#orders.set(side, listed(this.#ids, { side, size: whole }));
  }

  #note(): void {
    const orders = [...this.#orders.values()];
    const nowMs = this.scene.nowMs();
    this.#history = this.#history.filter(({ atMs }) => atMs > nowMs - 30 * SECOND_MS);
    this.#history.push({ atMs: nowMs, collateral: this.#collateral, contracts: this.#contracts, orders });
  }

  deposit(amount: bigint): void {
    this.#collateral += amount;
    this.#note();
  }

  #fill(): void {
    this.#side = this.#world.isUniform ? (this.#side === "buy" ? "sell" : "buy") : this.#draw(2) === 0 ? "buy" : "sell";
    const side = this.#side;
    const order = this.#orders.get(side);
    if (order === undefined) return;
    const [makerFee, makerRealizedPnl] = this.#world.isUniform
      ? [usdc(-19_900n), usdc(side === "sell" ? 200_000n : 0n)]
      : [usdc(BigInt(this.#draw(40_000) - 30_000)), usdc(BigInt(this.#draw(3) * (this.#draw(400_000) - 200_000)))];
    this.#fills += 1;
    this.#collateral += makerRealizedPnl - makerFee;
    this.#contracts += side === "buy" ? 1n : -1n;
    const filled = size(order.filledSize + CONTRACT);
    const left = { ...order, filledSize: filled, remainingSize: size(order.size - filled) };
    this.#orders.set(side, left);
    if (left.remainingSize === 0n) this.#orders.delete(side);
    const ours = { mine: BigInt(order.orderId), side, hash: `h${this.#fills}`, other: BigInt(1_000_000 + this.#fills) };
    const timestampMs = CHAIN_OFFSET_MS + this.scene.nowMs();
    const told = execution({ ...ours, makerFee, makerRealizedPnl, timestampMs });
    this.#note();
    const tell = () => {
      if (this.#draw(2) === 0) this.scene.tell({ kind: "trade", trade: publicTrade(told) });
      this.scene.tell({ kind: "execution", execution: told });
      if (left.remainingSize !== 0n) return;
      this.#place(side);
      this.#note();
    };
    this.#frames.push({ atMs: this.scene.nowMs() + this.#draw(this.#world.frameMs), tell });
  }

  /** As it was then. */
  #account(ofMs: number): Account {
    const shown = this.#history.findLast(({ atMs }) => atMs <= ofMs) ?? this.#history[0];
    if (shown === undefined) return account();
    const positions = shown.contracts === 0n ? [] : [position(shown.contracts)];
    return account({ collateral: usdc(shown.collateral), positions, openOrders: [...shown.orders] });
  }

  #read(): void {
    const told = this.#account(this.scene.nowMs() - this.#draw(this.#world.lagMs + 1));
    this.scene.tell({ kind: "accountRead", account: told });
    this.scene.tell({ kind: "fundingRead", funding: funding() });
    this.scene.tell({ kind: "tradesRead", marketId: 1, trades: [] });
  }

  run(ms: number, until: () => boolean = () => false): void {
    const endMs = this.scene.nowMs() + ms;
    while (this.scene.nowMs() < endMs && !until()) {
      this.scene.advance(20);
      const nowMs = this.scene.nowMs();
      const due = this.#frames.filter(({ atMs }) => atMs <= nowMs);
      this.#frames = this.#frames.filter(({ atMs }) => atMs > nowMs);
      for (const { tell } of due) tell();
      if (nowMs >= this.#nextFillMs) {
        this.#fill();
        this.#nextFillMs = nowMs + (this.#world.isUniform ? SECOND_MS : 500 + this.#draw(SECOND_MS));
      }
      if (this.scene.resync() !== null && this.#frames.length === 0) this.scene.adopt(this.#account(nowMs), 1);
      if (nowMs >= this.#nextReadMs) {
        this.#read();
        this.#nextReadMs = nowMs + (this.#isSoon ? SECOND_MS : 7500);
      }
    }
  }

  /** What was ever booked from outside, the opening balance left out. */
  get transfers(): readonly bigint[] {
    return this.scene.effects.flatMap((effect) =>
      effect.kind === "collateralChange" ? effect.postings.map(({ amount }) => amount) : [],
    );
  }

  get known(): { readonly transfers: bigint; readonly missing: bigint } {
    const { book } = this.scene.state.accounts.get(ME) as { readonly book: Parameters<typeof totalsOf>[0] };
    const pending = this.#frames.length > 0;
    return {
      transfers: totalsOf(book).transfers - START,
      missing: pending ? 0n : this.#collateral - collateralOf(book),
    };
  }
}

const worlds = fc.record({
  seed: fc.bigInt({ min: 1n, max: 1_000_000n }),
  isUniform: fc.boolean(),
  isInParts: fc.boolean(),
  lagMs: fc.constantFrom(0, 500, 3000),
  frameMs: fc.constantFrom(1, 100, 300),
});

describe("beside a fill a second", () => {
  test("a deposit is booked within 30 s, exactly, and stays", { timeout: 300_000 }, () => {
    fc.assert(
      fc.property(worlds, fc.constantFrom(500_000_000n, 1n, 1_234_567_891n, -77_000_001n), (world, amount) => {
        const exchange = new Exchange(world);
        exchange.run(20 * SECOND_MS);
        expect(exchange.transfers).toEqual([]);
        exchange.deposit(amount);
        exchange.run(30 * SECOND_MS, () => exchange.transfers.length > 0);
        expect(exchange.transfers).toEqual([amount]);
        exchange.run(60 * SECOND_MS);
        expect(exchange.transfers).toEqual([amount]);
        expect(exchange.known.missing).toBe(0n);
      }),
      { numRuns: 60 },
    );
  });

  test("without one nothing is booked in an hour, and nothing is taken back", { timeout: 300_000 }, () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const exchange = new Exchange(world);
        exchange.run(3600 * SECOND_MS);
        expect(exchange.transfers).toEqual([]);
        expect(exchange.known).toEqual({ transfers: 0n, missing: 0n });
      }),
      { numRuns: 6 },
    );
  });
});
