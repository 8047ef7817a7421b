// The law of the second opinion judges by what was delivered, and no word from ahead outweighs what comes after it.

import { expect, test } from "vitest";
import { type Price, price } from "../../../src/domain/units.ts";
import { SecondOpinion } from "../../../src/sim/invariants/second-opinion.ts";

const EVERY_MS = 15_000;
const HOUR_SEC = 3600;
const usd = (dollars: number): Price => price(BigInt(Math.round(dollars * 1e8)));

function opinion() {
  let nowMs = 1_000_000;
  const law = new SecondOpinion({ chainMs: () => nowMs, printEveryMs: () => EVERY_MS });
  const read = (dollars: number, of: { readonly aheadSec?: number } = {}) => {
    const ahead = of.aheadSec ?? 0;
    const validUntilSec = nowMs / 1000 + 16 + ahead;
    law.delivered(1, { price: usd(dollars), validUntilSec, publishedMs: nowMs + ahead * 1000 });
  };
  const frame = (dollars: number) =>
    law.delivered(1, { price: usd(dollars), validUntilSec: nowMs / 1000 + 16, publishedMs: null });
  const pass = (ms = EVERY_MS) => {
    nowMs += ms;
  };
  return { law, read, frame, pass };
}

test("a print that moved far forbids exposure until one near the trusted print, or a second one, is delivered", () => {
  const { law, read, frame, pass } = opinion();
  read(200);
  pass();
  frame(250);
  expect(law.forbids(1)).toContain("none confirms it");
  pass();
  frame(200.1);
  expect(law.forbids(1)).toBe(undefined);
});

test("a word from an hour ahead does not keep the next frame from being news", () => {
  const { law, read, frame, pass } = opinion();
  read(200);
  pass();
  read(200, { aheadSec: HOUR_SEC });
  frame(250);
  expect(law.forbids(1)).toContain("none confirms it");
  pass();
  frame(200.1);
  expect(law.forbids(1)).toBe(undefined);
});

test("an older frame that comes late confirms nothing", () => {
  const { law, read, frame, pass } = opinion();
  read(200);
  pass();
  frame(250);
  law.delivered(1, { price: usd(200), validUntilSec: 1001, publishedMs: null });
  expect(law.forbids(1)).toContain("none confirms it");
});
