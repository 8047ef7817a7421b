// The fitted queue model in markets whose makers leave by a known law, judged on what it was not fitted to.

import { describe, expect, test } from "vitest";
import { type ReconcileLine, reconcile } from "../../../../src/backtest/recorded/reconcile.ts";
import { type laws, queueWorld } from "./queue-world.ts";

async function judged(law: keyof typeof laws, steps: number): Promise<ReconcileLine> {
  const lines = await reconcile(queueWorld({ law, seed: 7n, steps }).recording);
  const line = lines.find(({ model }) => model === "fitted");
  if (line === undefined) throw new Error("one object a model");
  return line;
}

const f1 = (precision: number, recall: number): number => (2 * precision * recall) / (precision + recall);

describe.each(["front", "anywhere", "back"] as const)("makers that leave from %s", (law) => {
  test("are predicted as they are: by instant, volume and PnL", async () => {
    const line = await judged(law, 6000);
    expect(line.fit?.fills).toBeGreaterThan(250);
    expect(f1(line.precisionInstant, line.recallInstant)).toBeGreaterThan(0.955);
    expect(Math.abs(line.biasPercent ?? 100)).toBeLessThan(5);
    expect(line.bias).toBe("none");
    const [real, predicted] = [Number(line.pnlReal), Number(line.pnlPredicted)];
    expect(Math.abs(predicted / real - 1)).toBeLessThan(0.1);
  });
});

test("the exponent tells from where they leave", async () => {
  const [front, back] = [await judged("front", 6000), await judged("back", 6000)];
  expect(front.fit?.ci95[0]).toBeGreaterThan(0);
  expect(back.fit?.ci95[1]).toBeLessThan(0);
});

test("fewer than 200 fills are no fit: it is the prior, with how many there were", async () => {
  const { fit } = await judged("front", 1500);
  expect(fit).toMatchObject({ exponent: 0, ci95: [-64, 64] });
  expect(fit?.fills).toBeGreaterThan(0);
});
