// The laws of attribution over random histories, against two naive books: the account as an exchange keeps it, which may round
// the cost of a partial close as it likes, and the walk of the position along the path of prices.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AccountBook, BookEvent } from "../../src/bot/accounting/account-book.ts";
import { type FillEvent, pendingFills, pnlComponents } from "../../src/bot/accounting/market-book.ts";
import { type Side, usdc } from "../../src/domain/units.ts";
import { bookOf, filled, marketIn, pnlAt, positionRead, said } from "../unit/bot/accounting/books.ts";

const UNIT = 100_000_000n; // price units x size units in a USDC base unit
const floored = (raw: bigint): bigint => (raw - (((raw % UNIT) + UNIT) % UNIT)) / UNIT;

type FillStep = {
  readonly side: Side;
  readonly price: bigint;
  readonly size: bigint;
  readonly reference: bigint | null;
  readonly fee: bigint;
  /** How the exchange rounds the cost that a partial close releases: any share of a thousand of what is held. */
  readonly releasedPerMille: bigint;
};
type Step =
  | ({ readonly kind: "fill" } & FillStep)
  | { readonly kind: "print"; readonly oraclePrice: bigint }
  | { readonly kind: "funding"; readonly amount: bigint };

const priceArbitrary = fc.bigInt({ min: 1n, max: 50_000_000_000n });
/** Few and round sizes among the odd ones, so that positions close exactly and flip. */
const sizeArbitrary = fc.oneof(fc.constantFrom(1n, 500_000n, 1_000_000n), fc.bigInt({ min: 1n, max: 40_000_000n }));
const fillArbitrary: fc.Arbitrary<FillStep> = fc.record({
  side: fc.constantFrom<Side>("buy", "sell"),
  price: priceArbitrary,
  size: sizeArbitrary,
  reference: fc.option(priceArbitrary),
  fee: fc.bigInt({ min: -1_000n, max: 5_000n }),
  releasedPerMille: fc.bigInt({ min: 0n, max: 1_000n }),
});
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fillArbitrary.map((fill): Step => ({ kind: "fill", ...fill })) },
  { weight: 3, arbitrary: priceArbitrary.map((oraclePrice): Step => ({ kind: "print", oraclePrice })) },
  {
    weight: 1,
    arbitrary: fc.bigInt({ min: -90_000n, max: 90_000n }).map((amount): Step => ({ kind: "funding", amount })),
  },
);
const historyArbitrary = fc.array(stepArbitrary, { minLength: 1, maxLength: 60 });
const startArbitrary = fc.record({
  inventory: fc.oneof(fc.constant(0n), fc.bigInt({ min: -20_000_000n, max: 20_000_000n })),
  entryPrice: priceArbitrary,
  oraclePrice: priceArbitrary,
});
type Start = { readonly inventory: bigint; readonly entryPrice: bigint; readonly oraclePrice: bigint };

const signed = (side: Side, amount: bigint): bigint => (side === "buy" ? amount : -amount);
const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** The account as an exchange keeps it: collateral moves by realized profit, fees and funding; open cost is exact. */
class ExchangeAccount {
  inventory: bigint;
  cost: bigint;
  oraclePrice: bigint;
  /** Since the start: realized + funding - fees. */
  collateral = 0n;
  /** Since the start, by trades alone. */
  cash = 0n;

  constructor(start: Start) {
    this.inventory = start.inventory;
    this.cost = floored(start.inventory * start.entryPrice);
    this.oraclePrice = start.oraclePrice;
  }

  get value(): bigint {
    return floored(this.inventory * this.oraclePrice);
  }

  get equity(): bigint {
    return this.collateral + this.value - this.cost;
  }

  /** Returns the realized profit that the exchange tells. */
  trade(fill: FillStep): bigint {
    const notional = signed(fill.side, (fill.price * fill.size) / UNIT);
    const opens = this.inventory === 0n || this.inventory > 0n === (fill.side === "buy");
    const next = this.inventory + signed(fill.side, fill.size);
    let costAfter = this.cost + notional;
    if (!opens) {
      const flips = next !== 0n && next > 0n !== this.inventory > 0n;
      if (next === 0n) costAfter = 0n;
      else if (flips) costAfter = (notional * magnitude(next)) / fill.size;
      else costAfter = this.cost - (this.cost * fill.releasedPerMille) / 1_000n;
    }
    const realized = costAfter - this.cost - notional;
    this.inventory = next;
    this.cost = costAfter;
    this.cash -= notional;
    this.collateral += realized - fill.fee;
    return realized;
  }
}

/** The first read of the position is where the book begins. */
const startOf = ({ inventory, entryPrice, oraclePrice }: Start): BookEvent =>
  positionRead({ inventory, entryPrice, oraclePrice });

/** A history as the exchange executes it: the events that we hear, and the account after each. */
function executed(start: Start, history: readonly Step[]) {
  const account = new ExchangeAccount(start);
  const equityAtStart = account.equity;
  return history.map((step, index) => {
    const event = execute(account, step, index);
    const { oraclePrice, cash, value } = account;
    return { event, oraclePrice, cash, value, equityGain: account.equity - equityAtStart };
  });
}

/** Null: a print that moved nothing is no event of the book. */
function execute(account: ExchangeAccount, step: Step, index: number): BookEvent | null {
  switch (step.kind) {
    case "fill": {
      const realizedPnl = account.trade(step);
      const referencePrice = step.reference ?? account.oraclePrice;
      return filled({ ...step, key: `${index}`, timestampMs: index, realizedPnl }, { referencePrice });
    }
    case "print": {
      const amount = usdc((account.inventory * (step.oraclePrice - account.oraclePrice)) / UNIT);
      account.oraclePrice = step.oraclePrice;
      return amount === 0n ? null : { kind: "print", marketId: 1, validUntilSec: index, amount };
    }
    case "funding":
      account.collateral += step.amount;
      return { kind: "funding", marketId: 1, atSec: index, amount: usdc(step.amount) };
  }
}

const eventsOf = (start: Start, history: readonly Step[]): readonly BookEvent[] =>
  executed(start, history).flatMap(({ event }) => (event === null ? [] : [event]));
const folded = (start: Start, events: readonly BookEvent[]): AccountBook => bookOf(startOf(start), ...events);
const lastPrint = (start: Start, history: readonly Step[]): bigint =>
  executed(start, history).at(-1)?.oraclePrice ?? start.oraclePrice;

/** The book after each step, with what the exchange then knows. */
function* steps(start: Start, history: readonly Step[]) {
  const events: BookEvent[] = [];
  for (const { event, ...exchange } of executed(start, history)) {
    if (event !== null) events.push(event);
    yield { pnl: pnlAt(folded(start, events), exchange.oraclePrice), ...exchange };
  }
}

function holds(law: (start: Start, history: readonly Step[], pick: fc.GeneratorValue) => void): void {
  fc.assert(fc.property(startArbitrary, historyArbitrary, fc.gen(), law));
}

describe("attribution", () => {
  test("the components sum to the total after every event", () => {
    holds((start, history) => {
      for (const { pnl } of steps(start, history)) {
        const { total, ...parts } = pnl;
        expect(Object.values(parts).reduce<bigint>((sum, part) => sum + part, 0n)).toBe(total);
        expect(new Set(Object.keys(pnl))).toEqual(new Set(pnlComponents));
      }
    });
  });

  test("the total is the gain of the account's equity to the base unit, however the exchange splits the cost", () => {
    holds((start, history) => {
      for (const { pnl, equityGain } of steps(start, history)) expect(pnl.total).toBe(equityGain);
    });
  });

  test("trading is cash paid and received, and the change of what the position is worth", () => {
    holds((start, history) => {
      const valueAtStart = floored(start.inventory * start.oraclePrice);
      for (const { pnl, cash, value } of steps(start, history)) {
        expect(pnl.spread + pnl.inventory + pnl.jump).toBe(cash + value - valueAtStart);
      }
    });
  });

  test("a profit that nobody told yet does not move the total", () => {
    holds((start, history) => {
      const events = eventsOf(start, history);
      const silent = events.map((event) => (event.kind === "fill" ? withoutProfit(event) : event));
      const mark = lastPrint(start, history);
      expect(pnlAt(folded(start, silent), mark)).toEqual(pnlAt(folded(start, events), mark));
    });
  });

  test("inventory and jump are the position walked along the path of reference prices and prints", () => {
    holds((start, history) => {
      let held = start.inventory;
      let reference = start.oraclePrice;
      let oraclePrice = start.oraclePrice;
      let walked = 0n;
      const walkTo = (next: bigint) => {
        walked += held * (next - reference);
        reference = next;
      };
      for (const step of history) {
        if (step.kind === "print") oraclePrice = step.oraclePrice;
        if (step.kind !== "fill") continue;
        walkTo(step.reference ?? oraclePrice);
        held += signed(step.side, step.size);
      }
      walkTo(oraclePrice);
      const { inventory, jump } = pnlAt(folded(start, eventsOf(start, history)), oraclePrice);
      // Each fill truncates its notional and its spread, the start and the end their value.
      const rounding = BigInt(2 * history.length + 2);
      expect(magnitude((inventory + jump) * UNIT - walked)).toBeLessThanOrEqual(rounding * UNIT);
    });
  });

  test("jump is what each print moved under the position held then, and all that prints alone move", () => {
    holds((start, history) => {
      let [held, oraclePrice, jumped] = [start.inventory, start.oraclePrice, 0n];
      for (const step of history) {
        if (step.kind === "fill") held += signed(step.side, step.size);
        if (step.kind !== "print") continue;
        jumped += (held * (step.oraclePrice - oraclePrice)) / UNIT;
        oraclePrice = step.oraclePrice;
      }
      expect(pnlAt(folded(start, eventsOf(start, history)), oraclePrice).jump).toBe(jumped);
      const prints = history.filter(({ kind }) => kind === "print");
      const { inventory, spread } = pnlAt(folded(start, eventsOf(start, prints)), oraclePrice);
      expect(spread).toBe(0n);
      expect(magnitude(inventory)).toBeLessThanOrEqual(BigInt(prints.length + 2));
    });
  });

  test("fills of one millisecond give the exchange's position and cost, whatever their keys and order of arrival", () => {
    fc.assert(
      fc.property(
        startArbitrary,
        fc.array(fillArbitrary, { minLength: 2, maxLength: 8 }),
        fc.gen(),
        (start, fills, pick) => {
          const account = new ExchangeAccount(start);
          const equityAtStart = account.equity;
          const keys = pick(() => fc.shuffledSubarray([...fills.keys()], { minLength: fills.length }));
          const events = fills.map((fill, index) =>
            filled(
              { ...fill, key: `${keys[index]}`, timestampMs: 5, realizedPnl: account.trade(fill) },
              { referencePrice: 1n },
            ),
          );
          const arrived = pick(() => fc.shuffledSubarray(events, { minLength: events.length }));
          const later = { side: "buy", price: 7n, size: 1n, reference: null, fee: 0n, releasedPerMille: 0n } as const;
          const after = filled({ ...later, key: "later", timestampMs: 6, realizedPnl: account.trade(later) });
          const book = folded(start, [...arrived, after]);
          const { inventory, cost } = marketIn(book).now;
          expect({ inventory, cost }).toEqual({ inventory: account.inventory, cost: account.cost });
          expect(pnlAt(book, account.oraclePrice).total).toBe(account.equity - equityAtStart);
        },
      ),
    );
  });

  test("over fills alone, net position, fees and total PnL do not depend on the order of execution", () => {
    holds((start, history, pick) => {
      const fills = history.flatMap((step, index) =>
        step.kind === "fill"
          ? [{ side: step.side, price: step.price, size: step.size, fee: step.fee, key: `${index}` }]
          : [],
      );
      const figures = (order: typeof fills) => {
        const book = folded(
          start,
          order.map((fill, timestampMs) => filled({ ...fill, timestampMs })),
        );
        const { fees, total } = pnlAt(book, 21_694_000_000n);
        return { inventory: marketIn(book).now.inventory, fees, total };
      };
      const shuffled = pick(() => fc.shuffledSubarray(fills, { minLength: fills.length }));
      expect(figures(shuffled)).toEqual(figures(fills));
    });
  });
});

describe("what is told late", () => {
  test("fills first told without fee and profit, and completed in any order, end in the same PnL", () => {
    holds((start, history, pick) => {
      const events = eventsOf(start, history);
      const fills = events.filter((event) => event.kind === "fill");
      const late = pick(() => fc.shuffledSubarray(fills, { minLength: fills.length }));
      const bare = events.map((event) => (event.kind === "fill" ? unpriced(event) : event));
      const book = folded(start, [...bare, ...late]);
      expect([...pendingFills(marketIn(book))]).toEqual([]);
      expect(said(book)).toEqual(said(folded(start, events)));
    });
  });

  test("once flat, the collateral that fills without fees moved says the same as their fees", () => {
    holds((start, history) => {
      const whole = closed(start, history);
      const events = eventsOf(start, whole);
      const fills = events.flatMap((event) => (event.kind === "fill" ? [event.fill] : []));
      const bare = events.map((event) => (event.kind === "fill" ? unpriced(event) : event));
      const amount = usdc(fills.reduce((sum, { realizedPnl, fee }) => sum + (realizedPnl ?? 0n) - (fee ?? 0n), 0n));
      const fillKeys = fills.map(({ key }) => key);
      const book = folded(start, [
        ...bare,
        { kind: "transfer", key: "fills:1", reason: "fills", marketId: 1, amount, fillKeys },
      ]);
      const told = folded(start, events);
      expect(marketIn(book).now.inventory).toBe(0n);
      expect(book.collateral).toBe(told.collateral);
      expect(pnlAt(book, lastPrint(start, whole))).toEqual(pnlAt(told, lastPrint(start, whole)));
    });
  });
});

/** The history with a last fill that closes the position. */
function closed(start: Start, history: readonly Step[]): readonly Step[] {
  const held = history.reduce(
    (sum, step) => sum + (step.kind === "fill" ? signed(step.side, step.size) : 0n),
    start.inventory,
  );
  if (held === 0n) return history;
  const side: Side = held > 0n ? "sell" : "buy";
  const figures = { price: 21_694_000_000n, reference: null, fee: 3n, releasedPerMille: 0n };
  return [...history, { kind: "fill", side, size: magnitude(held), ...figures }];
}

const withoutProfit = (event: FillEvent): FillEvent => ({ ...event, fill: { ...event.fill, realizedPnl: null } });
const unpriced = (event: FillEvent): FillEvent => ({ ...event, fill: { ...event.fill, fee: null, realizedPnl: null } });
