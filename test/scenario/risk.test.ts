// `quoin risk` against a devnet, as an operator types it.

import { afterAll, beforeAll, expect, it } from "vitest";
import { jsonLines } from "../support/json-lines.ts";
import { quoinDone } from "../support/quoin.ts";
import { type ApartScene, endScenes, startApartScene } from "./daemon.ts";

let scene: ApartScene;
beforeAll(async () => {
  scene = await startApartScene();
});
afterAll(endScenes);

it("prints an object a scenario and the value at risk, whose losses follow from the limits and the facts", async () => {
  const { code, stdout } = await quoinDone(["risk", "--config", scene.botConfig, "--json"]);
  expect(code).toBe(0);
  const rows = jsonLines<Record<string, unknown>>(stdout);
  expect(rows.map(({ kind, scenario, deviations }) => [kind, scenario, deviations])).toEqual([
    ...[-8, -3, -1, 1, 3, 8].map((deviations) => ["scenario", "printGap", deviations]),
    ["scenario", "fundingCap", null],
    ["scenario", "latePrint", -3],
    ["scenario", "latePrint", 3],
    ["var", undefined, undefined],
  ]);
  // 20 contracts at 216.94, 20 bps a deviation until prints tell better.
  expect(rows.find(({ deviations }) => deviations === -3)).toMatchObject({ accountId: "12", loss: "26.0328" });
  expect(rows.at(-1)).toMatchObject({ accountId: "12", confidence: 0.99, loss: "20.184098", assumed: true });
});

it("says in words from which move on maxLoss acts", async () => {
  const { code, stdout } = await quoinDone(["risk", "--config", scene.botConfig]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/market 1: maxLoss \d+ acts once the price has moved \d+ bps against 20 contracts/);
  expect(stdout).toContain("No single trusted print reaches it: the largest, of 8 deviations, loses 69.42 USDC");
});

it("says what size the market carries: where nobody else quotes, none", async () => {
  const { stdout } = await quoinDone(["risk", "--config", scene.botConfig]);
  expect(stdout).toMatch(/market 1: suggested size [\d.]+ contracts: /);
});

it("on an embedded exchange says that it started a fresh one, and suggests no size from it", async () => {
  const { code, stdout, stderr } = await quoinDone(["risk", "--config", "config/demo.yaml"]);
  expect([code, stderr]).toEqual([
    0,
    "quoin: config/demo.yaml embeds its exchange: this command started a fresh one, which knows nothing of a running daemon's\n",
  ]);
  expect(stdout).toContain("market 2: maxLoss 500 acts once");
  expect(stdout).not.toContain("suggested size");
});

it("forbidden: a verdict without the exchange's facts", async () => {
  const config = scene.botConfig;
  await scene.devnet.end();
  const { code, stdout, stderr } = await quoinDone(["risk", "--config", config, "--json"]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("quoin: the exchange cannot be asked");
});
