// The series of markets: made with the market, counted while it is quoted, and not brought back by what is heard of it later.

import { beforeEach, expect, test } from "vitest";
import { DeskSeries } from "../../../../src/bot/live/desk-series.ts";
import { createMetrics, type Metrics } from "../../../../src/bot/telemetry/metrics.ts";
import { filled } from "../accounting/books.ts";
import { account, Desks } from "../service/desks.ts";

let metrics: Metrics;
let series: DeskSeries;
let world: Desks;
beforeEach(() => {
  world = new Desks();
  metrics = createMetrics();
  series = new DeskSeries(metrics, world.desks.values());
});

const fill = (marketId: number): void => {
  const { fill: of } = filled({ key: `${marketId}`, side: "buy", price: 1n, size: 1n });
  series.count({ kind: "fill", fill: { ...of, accountId: account, marketId }, isNews: true });
};
const shown = (marketId: number) =>
  [...metrics.fills.text().matchAll(new RegExp(`account="12",market="${marketId}".* (\\d+)`, "g"))].map(([, count]) =>
    Number(count),
  );
const sum = (marketId: number) => shown(marketId).reduce((all, count) => all + count, 0);

test("a fill of a quoted market is counted", () => {
  expect([shown(1).length, sum(1)]).toEqual([4, 0]);
  fill(1);
  expect(sum(1)).toBe(1);
});

test("forbidden: a series of a market that is not quoted, or that has gone", () => {
  fill(99);
  expect(shown(99)).toEqual([]);
  series.forget(account, 1, false);
  fill(1);
  expect(shown(1)).toEqual([]);
});

test("a market that comes has its series at once", () => {
  world.start({}, [1, 2, 3]);
  series.show(world.desk());
  expect(shown(3)).toHaveLength(4);
});
