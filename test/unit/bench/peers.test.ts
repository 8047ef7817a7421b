// Quoin beside its peers: the stream that they read, and the judgment of what they predict. Neither Python nor a peer is needed.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type PredictedFill, scoreOf } from "../../../bench/peers/score.ts";
import { happeningAt, writeStream } from "../../../bench/peers/stream.ts";
import { reconcile } from "../../../src/backtest/recorded/reconcile.ts";
import { recordingOf } from "../../../src/backtest/recorded/recording.ts";
import { readSession, replaySession } from "../../../src/backtest/recorded/session.ts";
import { size } from "../../../src/domain/units.ts";
import { PROJECT } from "../../support/quoin.ts";
import { scratchFolder } from "../../support/scratch.ts";

const recording = recordingOf(join(PROJECT, "docs/sample-session.qrec"));
const session = readSession(recording);
const happenings = [...replaySession(recording, session)];
const realFills = happenings.flatMap((each, happening): readonly PredictedFill[] => {
  if (each.kind !== "fill") return [];
  const { orderId, price, size } = each.fill;
  return [{ happening, orderId, price, size }];
});

test("who predicts what happened, in any order, is right in all and earns what was earned", async () => {
  const score = scoreOf(recording, session, realFills.toReversed());
  expect(score).toMatchObject({ precision: 1, recall: 1, precisionInstant: 1, recallInstant: 1 });
  const [line] = await reconcile(recording);
  expect(score.fills).toBe(line?.realFills);
  expect(score.volume).toBe(Number(line?.volumeReal));
  expect(score.pnl).toBe(Number(line?.pnlReal));
});

test("a fill of half the size is half the recall, and one a moment later is right by order alone", () => {
  const halves = realFills.map((fill) => ({ ...fill, size: size(fill.size / 2n) }));
  const half = scoreOf(recording, session, halves);
  expect(half.precision).toBe(1);
  expect(half.recall).toBeCloseTo(0.5, 4);
  const later = scoreOf(
    recording,
    session,
    realFills.map((fill) => ({ ...fill, happening: happenings.length - 1 })),
  );
  expect(later).toMatchObject({ precision: 1, recall: 1 });
  expect(later.recallInstant).toBeLessThan(0.05);
});

test("an order that was never placed is no prediction", () => {
  const [fill] = realFills;
  if (fill === undefined) throw new RangeError("the session has fills");
  expect(() => scoreOf(recording, session, [{ ...fill, happening: 0 }])).toThrow(RangeError);
});

test("the stream names each happening by its time, with each of the session's own orders", () => {
  const folder = scratchFolder("peers");
  expect(writeStream(recording, session, folder)).toBeGreaterThan(8000);
  const markets = JSON.parse(readFileSync(join(folder, "markets.json"), "utf8")) as readonly {
    readonly actions: readonly { readonly atNs: number; readonly kind: number; readonly orderId: string }[];
  }[];
  const written = markets.flatMap(({ actions }) => actions);
  const own = happenings.filter(({ kind }) => kind === "placed" || kind === "modified" || kind === "gone");
  expect(written).toHaveLength(own.length);
  for (const { atNs, kind, orderId } of written) {
    const happened = happenings[happeningAt(atNs)];
    expect(happened).toMatchObject({ kind: ["placed", "modified", "gone"][kind], order: { orderId: BigInt(orderId) } });
  }
});

test("without python3 it says so and ends with 1", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["bench/peers/main.ts"], {
    cwd: PROJECT,
    encoding: "utf8",
    env: { PATH: "" },
  });
  expect(stderr).toBe("the peers run in Python: there is no python3 on the PATH\n");
  expect([status, stdout]).toEqual([1, ""]);
});
