// The fitted queue model in markets whose makers leave by a known law, judged on what it was not fitted to.

import { describe, expect, test } from "vitest";
import { QueueWatch } from "../../../../src/backtest/recorded/queue-fit.ts";
import { type ReconcileLine, reconcile } from "../../../../src/backtest/recorded/reconcile.ts";
import { type laws, queueWorld } from "./queue-world.ts";

const known = new Map<string, Promise<ReconcileLine>>();

function judged(law: keyof typeof laws, steps: number, ownSize = 1): Promise<ReconcileLine> {
  const name = `${law} ${steps} ${ownSize}`;
  const found = known.get(name) ?? judge(law, steps, ownSize);
  known.set(name, found);
  return found;
}

async function judge(law: keyof typeof laws, steps: number, ownSize: number): Promise<ReconcileLine> {
  const lines = await reconcile(queueWorld({ law, seed: 7n, steps, ownSize }).recording);
  const line = lines.find(({ model }) => model === "fitted");
  if (line === undefined) throw new Error("one object a model");
  return line;
}

const f1 = (precision: number | null, recall: number | null): number =>
  precision === null || recall === null ? 0 : (2 * precision * recall) / (precision + recall);

describe.each(["front", "anywhere", "back"] as const)("makers that leave from %s", (law) => {
  test.each([1, 3])("are predicted as they are, orders of ours of %d: by instant, volume and PnL", async (ownSize) => {
    const line = await judged(law, 6000, ownSize);
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
  expect(front.fit?.ci95?.[0]).toBeGreaterThan(0);
  expect(back.fit?.ci95?.[1]).toBeLessThan(0);
});

test("fewer than 200 fills are no fit: it is the prior, without an interval, with how many there were", async () => {
  const { fit } = await judged("front", 1500);
  expect(fit).toMatchObject({ exponent: 0, ci95: null });
  expect(fit?.fills).toBeGreaterThan(0);
});

/**
 * Our order joins behind 10 contracts, 10 join behind it, and 10 of the 20 leave. The first taker trades `ahead` before us,
 * and the last of `takers` reaches ours. */
function fitWith(takers: number, ahead: number, enlarge = false): number {
  const watch = new QueueWatch({ fromMs: 0, toMs: 400_000 });
  const of = { marketId: 1, price: 100n, side: "buy", accountId: 12n } as const;
  const book = (contracts: number) => ({
    kind: "book",
    book: {
      marketId: 1,
      bids: [{ price: 100n, size: BigInt(contracts) * 1_000_000n, orderCount: contracts }],
      asks: [],
    },
  });
  for (let nth = 0; nth < 300; nth += 1) {
    const wallMs = nth * 1000;
    const happen = (happened: object) => watch.take({ ...happened, wallMs, monotonicMs: wallMs } as never);
    const order = { ...of, orderId: `own-${nth}`, size: 5_000_000n, filled: 0n };
    happen({ kind: "published", published: book(10) });
    happen({ kind: "placed", order });
    happen({ kind: "published", published: book(20) });
    if (enlarge) happen({ kind: "modified", order: { ...order, size: 9_000_000n } });
    happen({ kind: "published", published: book(10) });
    const trade = (taker: number, maker: string, contracts: bigint) =>
      happen({
        kind: "trade",
        own: maker.startsWith("own") ? "maker" : null,
        trade: { ...of, size: contracts, takerSide: "sell", takerOrderId: `${nth}-${taker}`, makerOrderId: maker },
      });
    trade(0, "other", BigInt(ahead) * 1_000_000n);
    trade(takers - 1, `own-${nth}`, 1_000_000n);
    happen({ kind: "gone", order });
  }
  return watch.fit().exponent;
}

test("law: who trades before the taker that reaches us, one or several, is the same queue", () => {
  for (const ahead of [2, 4, 8]) expect(fitWith(2, ahead)).toBe(fitWith(1, ahead));
  expect(fitWith(1, 2)).toBeGreaterThan(fitWith(1, 8));
});

test("an order that is enlarged joins behind all", () => {
  // All 20 stand before it then, so that 10 are left whoever left.
  expect(fitWith(1, 10, true)).toBe(0);
});
