// A strategy of the operator's own that goes wrong: its file and line are said, and a saved edit takes effect without a signal.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endAll, quoinDone, type Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { openOrdersOf, removeScene, type Scene, startDaemon, startScene } from "./daemon.ts";
import { statusOf } from "./operator.ts";

let scene: Scene;
let daemon: Running;
let url: string;
const file = (): string => join(scene.folder, "mine.ts");
const strategy = (body: string): string => `import { defineStrategy } from "quoin/strategy";
import { z } from "zod";
export const strategy = defineStrategy({
  name: "mine", summary: "Mine.", params: z.strictObject({}), start: () => null,
  quote(view) {
    ${body}
  },
});
`;

beforeAll(async () => {
  scene = await startScene({ oracle: "{ source: fixed, price: 216.94, validForSecs: 86400 }", params: "{}" });
  const yaml = readFileSync(scene.botConfig, "utf8").replace("strategy: fixed-spread", "strategy: ./mine.ts");
  writeFileSync(scene.botConfig, yaml);
});
afterAll(async () => {
  await endAll();
  removeScene(scene);
});

it("check names the line of a syntax error", async () => {
  writeFileSync(file(), strategy("return 1 +;"));
  const { code, stderr } = await quoinDone(["check", "--config", scene.botConfig]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/does not load: Expression expected \(\/\S+mine\.ts:6\)/)]);
});

it("check finds a forgotten return", async () => {
  writeFileSync(file(), strategy("({ quotes: [], fairValueUsd: null, reason: view.marketId });"));
  const { code, stderr } = await quoinDone(["check", "--config", scene.botConfig]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/:\d+:\d+: .*mine returned nothing/)]);
});

it("the daemon names the line of a throw once, and the mended file is taken without a signal", async () => {
  writeFileSync(file(), strategy('throw new Error("not yet");'));
  ({ process: daemon, url } = await startDaemon(scene));
  await daemon.seen("where it threw", (text) =>
    /strategy mine threw: not yet at \/\S+mine\.ts:6; it has no quotes/.test(text),
  );
  writeFileSync(file(), strategy('return { quotes: [], fairValueUsd: null, reason: "mended" };'));
  await until("the edit", async () => (await statusOf(url)).accounts[0]?.markets[0]?.quotesReason === "mended");
  expect(daemon.stdout().split('"event":"strategy.fault"')).toHaveLength(2);
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
});
