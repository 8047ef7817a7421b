// What `reconcile` says of each queue model on sessions written by hand, where the right answer can be counted.

import { expect, test } from "vitest";
import { type ReconcileLine, reconcile } from "../../../../src/backtest/recorded/reconcile.ts";
import { usdc } from "../../../../src/domain/units.ts";
import { at, contracts, emptyAccount, level, MARKET, Tape } from "./tape.ts";

async function lines(tape: Tape): Promise<Readonly<Record<"riskAverse" | "optimistic", ReconcileLine>>> {
  const [riskAverse, optimistic, fitted] = await reconcile(tape.recording);
  expect(fitted).toMatchObject({ model: "fitted", fit: { exponent: 0 } });
  if (riskAverse?.model !== "riskAverse" || optimistic?.model !== "optimistic") throw new Error("one object a model");
  return { riskAverse, optimistic };
}

const asks = [level(20_010, 10)];

/** Ours stands between five contracts and two; the five leave without a trade, and it is filled. */
function overtaken(): Tape {
  const tape = new Tape();
  tape.book([level(19_990, 5)], asks);
  tape.place(1, "buy", 19_990, 1);
  tape.book([level(19_990, 8, 3)], asks);
  tape.book([level(19_990, 3, 2)], asks);
  tape.fill(1, "maker", "sell", 19_990, 1);
  return tape;
}

test("who left before us is known to nobody: the risk-averse model waits, the optimistic one is filled as we were", async () => {
  const tape = new Tape();
  tape.book([level(19_990, 5)], asks);
  tape.place(1, "buy", 19_990, 1);
  tape.book([level(19_990, 6, 2)], asks);
  // The five that stood before us go without a trade.
  tape.book([level(19_990, 1)], asks);
  tape.book([level(19_990, 6, 2)], asks);
  tape.fill(1, "maker", "sell", 19_990, 1);
  tape.book([level(19_990, 5)], asks);
  const { riskAverse, optimistic } = await lines(tape);
  expect(optimistic).toMatchObject({
    realFills: 1,
    predictedFills: 1,
    precision: 1,
    recall: 1,
    volumeReal: "199.9",
    volumePredicted: "199.9",
    bias: "none",
    meanDelayMs: 0,
  });
  expect(riskAverse).toMatchObject({ predictedFills: 1, volumePredicted: "199.9" });
});

test("the same with others who stay: the risk-averse model is under", async () => {
  const tape = overtaken();
  tape.book([level(19_990, 2)], asks);
  const { riskAverse, optimistic } = await lines(tape);
  expect(riskAverse).toMatchObject({ predictedFills: 0, precision: null, recall: 0, bias: "under", biasPercent: -100 });
  expect(optimistic).toMatchObject({ predictedFills: 1, precision: 1, recall: 1, bias: "none", biasPercent: 0 });
});

test("an order that is predicted filled and was not counts against precision, and never twice", async () => {
  const tape = new Tape();
  tape.book([level(19_990, 5)], asks);
  tape.place(1, "buy", 19_990, 1);
  tape.book([level(19_990, 8, 3)], asks);
  // Two behind us leave, which the optimistic model takes for two before us.
  tape.book([level(19_990, 6, 2)], asks);
  tape.trade("sell", 19_990, 4);
  tape.book([level(19_990, 2, 2)], asks);
  tape.cancel(1);
  tape.book([level(19_990, 1)], asks);
  const { riskAverse, optimistic } = await lines(tape);
  expect(riskAverse).toMatchObject({ realFills: 0, predictedFills: 0, precision: null, recall: null, bias: "none" });
  expect(optimistic).toMatchObject({
    realFills: 0,
    predictedFills: 1,
    precision: 0,
    recall: null,
    bias: "over",
    biasPercent: null,
  });
});

test("an order that takes is matched once: its trade is no trade of others", async () => {
  const tape = new Tape();
  tape.book([level(19_990, 5)], [level(20_010, 3), level(20_020, 5)]);
  tape.place(1, "buy", 20_010, 2);
  tape.fill(1, "taker", "buy", 20_010, 2);
  tape.book([level(19_990, 5)], [level(20_010, 1), level(20_020, 5)]);
  for (const line of Object.values(await lines(tape)))
    expect(line).toMatchObject({ realFills: 1, predictedFills: 1, volumeReal: "400.2", volumePredicted: "400.2" });
});

test("a partial fill and a change of size afterwards count what was filled", async () => {
  const tape = new Tape();
  tape.book([level(19_980, 5)], asks);
  tape.place(1, "buy", 19_990, 2);
  tape.book([level(19_990, 2), level(19_980, 5)], asks);
  tape.fill(1, "maker", "sell", 19_990, 0.5);
  tape.book([level(19_990, 1.5), level(19_980, 5)], asks);
  tape.modify(1, "buy", 19_985, 2.5);
  tape.book([level(19_985, 2), level(19_980, 5)], asks);
  tape.fill(1, "maker", "sell", 19_985, 2);
  tape.book([level(19_980, 5)], asks);
  for (const line of Object.values(await lines(tape)))
    expect(line).toMatchObject({ realFills: 2, predictedFills: 2, recall: 1, precision: 1, volumeReal: "499.65" });
});

test("PnL comes by source, and its differences sum up", async () => {
  const tape = overtaken();
  tape.book([level(20_000, 2)], [level(20_020, 10)]);
  const { riskAverse } = await lines(tape);
  // Bought ten cents below the mid, which then rose by ten.
  expect(riskAverse).toMatchObject({ pnlReal: "0.2", pnlPredicted: "0" });
  expect(riskAverse.pnlDifference).toEqual({
    spread: "-0.1",
    inventory: "-0.1",
    jump: "0",
    funding: "0",
    fees: "0",
    total: "-0.2",
  });
});

test("a position from before the session counts from its start, and what closes it is matched", async () => {
  const position = {
    marketId: MARKET,
    side: "buy",
    size: contracts(3),
    entryPrice: at(18_000),
    unrealizedPnl: usdc(0n),
    cumulativeFunding: 0n,
    lastOraclePrice: at(20_000),
    openedAtMs: 0,
    marginMode: "Cross",
    leverage: 20,
    isolatedMargin: usdc(0n),
    tierGrandfathered: false,
  } as const;
  const tape = new Tape({ ...emptyAccount, positions: [position] });
  tape.book([level(19_990, 5)], asks);
  tape.place(1, "sell", 19_990, 3);
  tape.fill(1, "taker", "sell", 19_990, 3);
  tape.book([level(19_990, 2)], asks);
  // Worth 200 each at the start, and sold ten cents below; the tape has no fees, the schedule's are 5 bps.
  for (const line of Object.values(await lines(tape)))
    expect(line).toMatchObject({ predictedFills: 1, pnlReal: "-0.3", pnlPredicted: "-0.59985" });
});
