// What was read before a change does not apply after it: a daemon of its own process is told by signal, by its page and by a promotion at
// almost the same moment, and while a saved strategy hangs in its import.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { operate } from "../support/operate.ts";
import { until } from "../support/until.ts";
import { metricsOf, startDaemonProcess } from "./daemon.ts";
import { post, resting, statusOf } from "./operator.ts";
import { sceneForEach } from "./scene.ts";

const scene = sceneForEach();
let url: string;
let daemon: Awaited<ReturnType<typeof startDaemonProcess>>["process"];

/** From a signal to what follows it: the file is being read, and it has just been. */
const WAITS_MS = [40, 150, 400];
const PLACE = { reason: "a test", account: "12", market: 1 };

const strategy = (name: string, body: string, before = ""): string => `import { defineStrategy } from "quoin/strategy";
import { z } from "zod";
${before}
export const strategy = defineStrategy({
  name: "${name}", summary: "A test's.", params: z.strictObject({}), start: () => null,
  quote(view) { ${body} return { quotes: [], fairValueUsd: null, reason: "it waits" }; },
});
`;
/** Nothing of it uses the processor, and nothing ends it but the reader's bound of 30 s. */
const HANGS = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";

const edit = (change: (yaml: string) => string): void =>
  writeFileSync(scene.botConfig, change(readFileSync(scene.botConfig, "utf8")));
const marketNow = async () => (await statusOf(url)).accounts[0]?.markets[0];
const differences = async () => (await statusOf(url)).fileDifferences;
const metric = async (name: string) => (await metricsOf(url)).get(name) ?? 0;
const applied = () => metric('quoin_config_reloads_total{result="applied"}');
/** Contracts: two bids of 0.2 rest, the position is 0. */
const maxPosition = async () =>
  Math.round(0.4 / (await metric('quoin_worst_case_exposure_ratio{account="12",market="1",side="buy"}')));
const lower = (to: number) => post(url, "/params", { ...PLACE, limits: { maxPosition: to } });

beforeEach(async () => {
  ({ process: daemon, url } = await startDaemonProcess(scene));
  await resting(scene, 4);
});

test("a SIGHUP does not undo a tightening that was answered after it; one sent after it does", async () => {
  for (const ms of WAITS_MS) {
    const before = await applied();
    daemon.signal("SIGHUP");
    await wait(ms);
    expect((await lower(1)).status).toBe(200);
    await until("both are applied", async () => (await applied()) === before + 2);
    expect(await maxPosition()).toBe(1);
    expect(await differences()).toEqual([
      expect.stringMatching(/maxPosition.*(waits for SIGHUP|set to 1 by an operator)/),
    ]);
    daemon.signal("SIGHUP");
    await until("the later word", async () => (await applied()) === before + 3);
    expect(await maxPosition()).toBe(20);
    expect(await differences()).toEqual([]);
  }
});

test("nor one that is read while a parameter is set: both hold", async () => {
  edit((yaml) => yaml.replace("maxLoss: 500", "maxLoss: 600"));
  daemon.signal("SIGHUP");
  expect((await post(url, "/params", { ...PLACE, params: { levels: 1 } })).status).toBe(200);
  await until("both are applied", async () => (await applied()) >= 2);
  await resting(scene, 2);
  expect(await differences()).toEqual([expect.stringMatching(/params\.levels was set to 1 by an operator/)]);
});

test.each([WAITS_MS[0], WAITS_MS[2]])(
  "a SIGHUP of %i ms before does not end a promotion's trial: what fails is rolled back",
  async (ms) => {
    const isMoved = "!view.isPaper && view.oracle.state === 'fresh' && view.oracle.value.price > 21694000000n";
    writeFileSync(join(scene.folder, "later.ts"), strategy("later", `if (${isMoved}) throw new Error("moved");`));
    edit((yaml) => yaml.replace(/^ {8}limits/m, "        shadow: { strategy: ./later.ts }\n        limits"));
    await until("its shadow runs", async () => (await marketNow())?.shadow?.state === "running");
    const before = await applied();
    daemon.signal("SIGHUP");
    await wait(ms);
    expect((await post(url, "/promote", { account: "12", market: 1 })).status).toBe(200);
    await until("both are applied", async () => (await applied()) >= before + 2);
    expect(await marketNow()).toMatchObject({ strategy: "later", trial: { from: "fixed-spread" } });
    expect(daemon.stdout()).not.toMatch(/later -> fixed-spread/);
    await operate(scene, "PATCH", "/oracle/1", { price: "217" });
    await daemon.seen("that it is rolled back", (text) => /"event":"promotion\.rolledBack".*moved/.exec(text)?.[0]);
    await resting(scene, 4);
  },
);

describe("while a saved strategy hangs in its import", () => {
  beforeEach(async () => {
    writeFileSync(join(scene.folder, "hangs.ts"), strategy("hangs", "", HANGS));
    edit((yaml) => yaml.replace("strategy: fixed-spread", "strategy: ./hangs.ts").replace(/params: .*/, "params: {}"));
    daemon.signal("SIGHUP");
    // A parameter needs the file, and waits with it.
    void post(url, "/params", { ...PLACE, params: { levels: 1 } }).catch(() => {});
  });

  test("a tightening, a halt and the cancels of it do not wait", async () => {
    expect((await lower(1)).status).toBe(200);
    expect(await maxPosition()).toBe(1);
    expect(await (await lower(2)).json()).toMatchObject({
      error: expect.stringContaining("maxPosition would let more"),
    });
    expect((await post(url, "/halt", { reason: "a test" })).status).toBe(200);
    await resting(scene, 0);
    // What hangs is refused after 30 s.
    expect(await metric('quoin_config_reloads_total{result="refused"}')).toBe(0);
  });
});
