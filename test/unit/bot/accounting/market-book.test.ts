// The profit of a market by source, in figures that can be checked by hand; the laws over all histories are in test/property.

import { expect, test } from "vitest";
import {
  foldPnl,
  type PnlEvent,
  type PnlState,
  pnlOf,
  startPnl,
  unpricedProfit,
} from "../../../../src/bot/accounting/market-book.ts";
import { price, size, usdc } from "../../../../src/domain/units.ts";
import { type FillFigures, fillOf } from "./fill.ts";

const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 100)) * 1_000_000n;
const at = (dollars: number) => price(usd(dollars));
const contracts = (count: number): bigint => BigInt(count) * 1_000_000n;
const dollars = (count: number) => usdc(BigInt(Math.round(count * 1_000_000)));

const flat = startPnl({ inventory: size(0n), entryPrice: price(0n), oraclePrice: at(200) });

const bought = (figures: Partial<FillFigures> & { readonly key: string }, referencePrice = at(200)): PnlEvent => ({
  kind: "fill",
  fill: fillOf({ side: "buy", price: usd(199), size: contracts(2), ...figures }),
  referencePrice,
});
const folded = (events: readonly PnlEvent[], start: PnlState = flat) => events.reduce(foldPnl, start);

test("a buy below the mid earns its distance as spread, and what is held moves with the print", () => {
  const state = folded([bought({ key: "a" }), { kind: "print", oraclePrice: at(195) }]);
  expect(pnlOf(state)).toEqual({
    spread: dollars(2),
    inventory: dollars(-10),
    funding: dollars(0),
    fees: dollars(0),
    total: dollars(-8),
  });
});

test("a sell above the mid earns its distance as spread", () => {
  const state = folded([bought({ key: "a", side: "sell", price: usd(201.5) })]);
  expect(pnlOf(state).spread).toBe(dollars(3));
  expect(pnlOf(state).total).toBe(dollars(3));
});

test("what the fills come to is kept apart from what the exchange says, until that is accepted", () => {
  const moved: PnlEvent = { kind: "position", inventory: size(contracts(5)), entryPrice: at(199) };
  const state = folded([bought({ key: "a" }), moved, bought({ key: "b", side: "sell", size: contracts(1) })]);
  expect([state.inventory, state.explained]).toEqual([contracts(4), contracts(1)]);
  const accepted = foldPnl(state, { kind: "accepted" });
  expect(accepted.explained).toBe(contracts(4));
  expect(foldPnl(accepted, { kind: "accepted" }), "nothing changed").toBe(accepted);
});

test("where no mid was fresh the oracle price stands in", () => {
  const event = { kind: "fill", fill: fillOf({ key: "a", side: "buy", price: usd(199), size: contracts(1) }) } as const;
  expect(pnlOf(folded([{ ...event, referencePrice: null }])).spread).toBe(dollars(1));
});

test("a mid away from the oracle price counts as inventory until the contracts are sold", () => {
  const state = folded([bought({ key: "a", price: usd(198) }, at(198.5))]);
  expect(pnlOf(state)).toMatchObject({ spread: dollars(1), inventory: dollars(3), total: dollars(4) });
});

test("a fee paid stands below zero, a rebate above, funding received above", () => {
  const paid = folded([bought({ key: "a", price: usd(200), fee: dollars(0.2) })]);
  expect(pnlOf(paid)).toMatchObject({ fees: dollars(-0.2), total: dollars(-0.2) });
  const rebate = folded([
    bought({ key: "a", price: usd(200), fee: dollars(-0.04) }),
    { kind: "funding", amount: dollars(0.5) },
  ]);
  expect(pnlOf(rebate)).toMatchObject({ fees: dollars(0.04), funding: dollars(0.5), total: dollars(0.54) });
});

test("the ledger begins at zero, whatever the position at its start has gained or lost", () => {
  const start = startPnl({ inventory: size(-contracts(3)), entryPrice: at(180), oraclePrice: at(200) });
  expect(pnlOf(start).total).toBe(0n);
  const moved = folded([{ kind: "print", oraclePrice: at(199) }], start);
  expect(pnlOf(moved)).toMatchObject({ inventory: dollars(3), total: dollars(3) });
});

test("closing a position of before the start does not book its old loss again", () => {
  const start = startPnl({ inventory: size(-contracts(3)), entryPrice: at(180), oraclePrice: at(200) });
  const realizedPnl = dollars(-60);
  const closed = folded([bought({ key: "a", price: usd(200), size: contracts(3), realizedPnl })], start);
  expect(pnlOf(closed).total).toBe(0n);
});

test("a fill told twice is booked once", () => {
  const once = folded([bought({ key: "a" })]);
  expect(foldPnl(once, bought({ key: "a" }))).toBe(once);
});

test("a fee that was missing is booked when it is told, once", () => {
  const unknown = folded([bought({ key: "a", fee: null })]);
  expect(pnlOf(unknown).fees).toBe(0n);
  const told = foldPnl(unknown, bought({ key: "a", fee: dollars(0.1) }));
  expect(pnlOf(told)).toMatchObject({ fees: dollars(-0.1), spread: dollars(2), total: dollars(1.9) });
  expect(foldPnl(told, bought({ key: "a", fee: dollars(0.1) }))).toBe(told);
});

test("a fill without a fee told again without one changes nothing", () => {
  const unknown = folded([bought({ key: "a", fee: null })]);
  expect(foldPnl(unknown, bought({ key: "a", fee: null }))).toBe(unknown);
});

test("what collateral gained by unpriced fills ends the wait for their fees", () => {
  const state = folded([
    bought({ key: "a", price: usd(200), fee: null }),
    bought({ key: "b", side: "sell", price: usd(203), fee: null }),
    { kind: "fillsSettled", fillKeys: ["a", "b"], amount: dollars(5.75) },
  ]);
  expect(pnlOf(state)).toMatchObject({ fees: dollars(-0.25), total: dollars(5.75) });
  expect(foldPnl(state, bought({ key: "a", price: usd(200), fee: dollars(9) }))).toBe(state);
});

test("an amount that covers fills of two markets is shared out without booking a profit twice", () => {
  const opened = [bought({ key: "a", price: usd(200), fee: null }), bought({ key: "b", price: usd(200), fee: null })];
  const sold = (key: string, at: number) => bought({ key, side: "sell", price: usd(at), fee: null });
  const [one, other] = [folded([...opened, sold("c", 203)]), folded([...opened, sold("d", 201)])];
  const amount = dollars(7.75);
  const fillKeys = ["c", "d"];
  const share = unpricedProfit(other, fillKeys);
  expect(share).toBe(dollars(2));
  const settled = [
    foldPnl(one, { kind: "fillsSettled", fillKeys, amount: usdc(amount - share) }),
    foldPnl(other, { kind: "fillsSettled", fillKeys, amount: share }),
  ];
  expect(settled.map((state) => state.realized - state.feesPaid)).toEqual([dollars(5.75), dollars(2)]);
});

test("a profit that the exchange rounds in its own way is taken at its word once flat", () => {
  const bookedByExchange = dollars(6) - 1n;
  const state = folded([
    bought({ key: "a", price: usd(200) }),
    bought({ key: "b", side: "sell", price: usd(203), realizedPnl: bookedByExchange }),
  ]);
  expect(pnlOf(state).total).toBe(bookedByExchange);
});

test("a fill through zero closes the old position and opens the new one at its own price", () => {
  const state = folded([
    bought({ key: "a", price: usd(200) }),
    bought({ key: "b", side: "sell", price: usd(210), size: contracts(5) }),
    { kind: "print", oraclePrice: at(205) },
  ]);
  expect(state).toMatchObject({ inventory: -contracts(3), cost: dollars(-630), realized: dollars(20) });
  expect(pnlOf(state).total).toBe(dollars(35));
});

test("a position as we know it leaves our exact cost alone; another one is taken from the exchange", () => {
  const held = folded([bought({ key: "a" })]);
  expect(foldPnl(held, { kind: "position", inventory: size(contracts(2)), entryPrice: at(150) })).toBe(held);
  const liquidated = folded(
    [
      { kind: "position", inventory: size(0n), entryPrice: price(0n) },
      { kind: "adjustment", amount: dollars(-7) },
    ],
    held,
  );
  expect(liquidated).toMatchObject({ inventory: 0n, cost: 0n });
  expect(pnlOf(liquidated).total).toBe(dollars(-7));
});

test("memory of fills is bounded, and holds the newest", () => {
  const many = Array.from({ length: 2000 }, (_, index) => bought({ key: `${index}`, size: 1n, fee: null }));
  const state = folded(many);
  expect(state.fillCount).toBe(2000);
  expect(state.bookedKeys.length).toBeLessThan(1000);
  expect(state.bookedKeys.at(-1)).toBe("1999");
  expect(state.unpriced.length).toBeLessThan(1000);
  expect(state.unpriced.at(-1)?.key).toBe("1999");
});
