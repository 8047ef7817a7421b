// A fill that pays another fee than the schedule says: schedule and volume are read again, and the higher fee counts until they agree.

import { expect, test } from "vitest";
import { createReadLog, readAsked, readEnded } from "../../../../src/bot/market/schedule.ts";
import { usdc } from "../../../../src/domain/units.ts";
import { fresh } from "../../../../src/domain/view.ts";
import { account, createScene, dueIn, execution, feeTier, type Scene } from "../scene.ts";

const NOTIONAL = 199_000_000n;
const feeOf = (bps: bigint) => usdc((NOTIONAL * bps) / 10_000n);
let hash = 0;
/** One contract at 199 USD, as maker. */
function paid(scene: Scene, makerFee: bigint) {
  hash += 1;
  const told = scene.tell({ kind: "execution", execution: execution({ makerFee: usdc(makerFee), hash: `h${hash}` }) });
  return told.filter(({ kind }) => kind === "feeDiffers");
}
const resting = (): Scene => {
  const scene = createScene();
  scene.rest(1n, 7n);
  return scene;
};
const makerBps = (scene: Scene) => fresh(scene.view().feeTier)?.makerFeeBps;
const schedule = (scene: Scene, makerFeeBps: number) =>
  scene.tell({ kind: "feeTiersRead", feeTiers: [{ ...feeTier, makerFeeBps }] });

test("a fee as the schedule says, rounded or not, is no news", () => {
  const scene = resting();
  expect(paid(scene, feeOf(-1n))).toEqual([]);
  expect(paid(scene, feeOf(-1n) + 1n)).toEqual([]);
  expect(makerBps(scene)).toBe(-1);
});

test("another fee is told once while it stays the same", () => {
  const scene = resting();
  expect(paid(scene, feeOf(40n))).toMatchObject([{ liquidity: "maker", paidBps: 40, scheduledBps: -1 }]);
  expect(paid(scene, feeOf(40n))).toEqual([]);
  expect(paid(scene, feeOf(50n))).toHaveLength(1);
});

test("it counts at once where it is higher, and never where it is lower", () => {
  const scene = resting();
  paid(scene, feeOf(40n));
  expect(makerBps(scene)).toBe(40);
  paid(scene, feeOf(-3n));
  expect(makerBps(scene)).toBe(-1);
});

test("a fill that pays what the schedule says ends it, as do ten minutes", () => {
  const scene = resting();
  paid(scene, feeOf(40n));
  paid(scene, feeOf(-1n));
  expect(makerBps(scene)).toBe(-1);
  paid(scene, feeOf(40n));
  scene.advance(600_000);
  expect(scene.view().feeTier).toMatchObject({ value: { makerFeeBps: 40 } });
  scene.advance(1);
  expect(scene.view().feeTier).toMatchObject({ value: { makerFeeBps: -1 } });
});

test("a schedule that says as much counts alone from then on: lowered again, it is believed", () => {
  const scene = resting();
  paid(scene, feeOf(40n));
  schedule(scene, -1);
  expect(makerBps(scene)).toBe(40);
  schedule(scene, 40);
  schedule(scene, 2);
  expect(makerBps(scene)).toBe(2);
});

test("schedule and account are read again within a second", () => {
  const scene = resting();
  const log = createReadLog();
  for (const request of dueIn(scene, log)) {
    readAsked(log, request, scene.nowMs());
    readEnded(log, request, "folded");
  }
  scene.advance(1000);
  const due = () => dueIn(scene, log).map(({ kind }) => kind);
  expect(due()).not.toContain("feeTiers");
  paid(scene, feeOf(40n));
  expect(due()).toEqual(expect.arrayContaining(["feeTiers", "account"]));
  scene.advance(1);
  schedule(scene, 40);
  scene.tell({ kind: "accountRead", account: account() });
  expect(dueIn(scene, createLogAsked(scene)).map(({ kind }) => kind)).not.toContain("feeTiers");
});

/** Everything was asked a second ago and has come back. */
function createLogAsked(scene: Scene) {
  const log = createReadLog();
  readAsked(log, { kind: "feeTiers" }, scene.nowMs() - 1000);
  readEnded(log, { kind: "feeTiers" }, "folded");
  return log;
}
