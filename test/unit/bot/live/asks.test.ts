// What is asked of the machine ends under its number, in whatever order.

import { expect, test } from "vitest";
import type { InputBody } from "../../../../src/bot/decider/input.ts";
import { Asks } from "../../../../src/bot/live/asks.ts";

test("each is told under a number of its own, and ends with what comes back under that", async () => {
  const told: InputBody[] = [];
  const asks = new Asks((one) => told.push(one));
  const ends = [asks.ask({ kind: "stop" }), asks.ask({ kind: "closeBooks" })] as const;
  expect(told).toMatchObject([
    { kind: "act", act: { kind: "stop" } },
    { kind: "act", act: { kind: "closeBooks" } },
  ]);
  const [stop = 0, closeBooks = 0] = told.flatMap((one) => (one.kind === "act" ? one.number : []));
  asks.done(closeBooks, { kind: "closeBooks" });
  asks.done(stop, { kind: "stop", lines: ["an order"] });
  asks.done(stop, { kind: "stop", lines: [] });
  expect(await Promise.all(ends)).toEqual([{ kind: "stop", lines: ["an order"] }, { kind: "closeBooks" }]);
});

test("one that ends while it is told is not lost", async () => {
  const asks: Asks = new Asks((one) => one.kind === "act" && asks.done(one.number, { kind: "closeBooks" }));
  expect(await asks.ask({ kind: "closeBooks" })).toEqual({ kind: "closeBooks" });
});
