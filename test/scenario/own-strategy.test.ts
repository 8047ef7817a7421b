// A strategy of the operator's own that goes wrong: its file and line are said, wrong code replaces nothing, and a saved edit takes effect
// without a signal.

import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { quoinDone, type Running, type RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import {
  type ApartScene,
  endScenes,
  metricsOf,
  openOrdersOf,
  startApartScene,
  startDaemon,
  startDaemonProcess,
} from "./daemon.ts";
import { statusOf } from "./operator.ts";

let scene: ApartScene;
let daemon: Running | RunningProcess;
let url: string;
const file = (): string => join(scene.folder, "mine.ts");
const strategy = (body: string): string => `import { defineStrategy } from "quoin/strategy";
import { z } from "zod";
export const strategy = defineStrategy({
  name: "mine", summary: "Mine.", params: z.strictObject({}), start: () => ({ turns: 0 }),
  quote(view, params, memory) {
    ${body}
  },
});
`;

beforeAll(async () => {
  scene = await startApartScene({ params: "{}" });
  const yaml = readFileSync(scene.botConfig, "utf8").replace("strategy: fixed-spread", "strategy: ./mine.ts");
  writeFileSync(scene.botConfig, yaml);
});
afterAll(endScenes);

it("check names the line of a syntax error", async () => {
  writeFileSync(file(), strategy("return 1 +;"));
  const { code, stderr } = await quoinDone(["check", "--config", scene.botConfig]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/does not load: Expression expected \(\/\S+mine\.ts:6\)/)]);
});

const saysWhy = 'memory.turns += 1; return { quotes: [], fairValueUsd: null, reason: "mended" };';
const throwsLater =
  'memory.turns += 1; if (memory.turns > 1) throw new Error("later"); return { quotes: [], fairValueUsd: null, reason: "first" };';

it("the daemon names the line of a throw once, and the mended file is taken without a signal", async () => {
  writeFileSync(file(), strategy(throwsLater));
  ({ process: daemon, url } = await startDaemon(scene));
  await daemon.seen("where it threw", (text) =>
    /strategy mine threw: later at \/\S+mine\.ts:6; it has no quotes/.test(text),
  );
  writeFileSync(file(), strategy(saysWhy));
  await until("the edit", async () => (await statusOf(url)).accounts[0]?.markets[0]?.quotesReason === "mended");
  expect(daemon.stdout().split('"event":"strategy.fault"')).toHaveLength(2);
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
});

const refusals = () => daemon.stdout().split('"event":"config.refused"').length - 1;

it("forbidden: code that does not return, throws or reads a clock replaces what runs; the file put back changes nothing", async () => {
  for (const [nth, body] of ["while (true) {}", 'throw new Error("no");', "return Date.now();"].entries()) {
    writeFileSync(file(), strategy(body));
    await until("the refusal", async () => refusals() === nth + 1);
    expect((await statusOf(url)).accounts[0]?.markets[0]?.quotesReason).toBe("mended");
  }
  expect(daemon.stdout()).toMatch(/has not returned after 1 s of processor time at \/\S+mine\.ts:5/);
  writeFileSync(file(), strategy(saysWhy));
  await until("the file put back", async () => (await applied()) === 2);
  expect((await statusOf(url)).accounts[0]?.markets[0]?.quotesReason).toBe("mended");
});

const applied = async () => (await metricsOf(url)).get('quoin_config_reloads_total{result="applied"}');

it("a link that leads to another release is noticed without a change in its folder", async () => {
  const [yaml, text] = [readFileSync(scene.botConfig, "utf8"), strategy(saysWhy)];
  for (const release of ["one", "two"]) {
    mkdirSync(join(scene.folder, release));
    writeFileSync(join(scene.folder, release, "mine.ts"), text.replace('"mended"', `"${release}"`));
  }
  symlinkSync("one", join(scene.folder, "..data"));
  writeFileSync(scene.botConfig, yaml.replace("./mine.ts", "./..data/mine.ts"));
  const quotesReason = async () => (await statusOf(url)).accounts[0]?.markets[0]?.quotesReason;
  await until("the first release", async () => (await quotesReason()) === "one");
  symlinkSync("two", join(scene.folder, "..next"));
  renameSync(join(scene.folder, "..next"), join(scene.folder, "..data"));
  await until("the second release", async () => (await quotesReason()) === "two");
  expect(await daemon.end()).toBe(0);
});

/** Quotes a level a side for a second and a half, then `body` runs. */
const quotesUntil = (body: string) =>
  `memory.turns ||= view.nowMs; if (view.nowMs - memory.turns > 1500) ${body}
    const q = (side, usd) => ({ side, level: 0, price: usd * 100000000n, size: 200000n, reduceOnly: false, intent: "rest" });
    return { quotes: [q("buy", 216n), q("sell", 218n)], fairValueUsd: 216.94, reason: null };`;

it("a call that does not return is ended from beside: its line is said, its orders are canceled, exit 1", async () => {
  writeFileSync(file(), strategy(quotesUntil("while (true) {}")));
  writeFileSync(scene.botConfig, readFileSync(scene.botConfig, "utf8").replace("./..data/mine.ts", "./mine.ts"));
  ({ process: daemon, url } = await startDaemonProcess(scene));
  expect(await daemon.exit).toBe(1);
  expect(daemon.stdout()).toMatch(/"event":"strategy\.hung","at":"\/\S+mine\.ts:6"/);
  expect(daemon.stderr()).toBe("");
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
});

it("the same while the exchange does not answer: exit 3, and what may rest is listed", async () => {
  ({ process: daemon, url } = await startDaemonProcess(scene));
  await until("its orders", async () => (await openOrdersOf(scene.validatorUrl)).length === 2);
  scene.devnet.child.kill("SIGSTOP");
  try {
    expect(await daemon.exit).toBe(3);
    expect(daemon.stderr()).toMatch(/orders may still rest:\n {2}account 12 market 1 order \d+: buy 0\.2 at 216/);
  } finally {
    scene.devnet.child.kill("SIGCONT");
  }
});

it("one that takes too much of the processor is not called again, and what it had resting is canceled", async () => {
  writeFileSync(file(), strategy(quotesUntil("for (let turn = 0, sum = 0; turn < 3e7; turn += 1) sum += turn;")));
  ({ process: daemon, url } = await startDaemon(scene));
  await daemon.seen("the fault", (text) => /strategy mine takes \S+ ms of processor time a turn/.test(text));
  await until("nothing to rest", async () => (await openOrdersOf(scene.validatorUrl)).length === 0);
  expect((await metricsOf(url)).get('quoin_strategy_faults_total{account="12",market="1"}')).toBeGreaterThan(0);
  expect(await daemon.end()).toBe(0);
});

const waits = (ms: number) => `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms});`;

it("one that waits without using the processor is not called again, and what it had resting is canceled", async () => {
  writeFileSync(file(), strategy(quotesUntil(waits(150))));
  ({ process: daemon, url } = await startDaemonProcess(scene));
  const fault = await daemon.seen(
    "the fault",
    (text) => /strategy mine waits without using the processor.*/.exec(text)?.[0],
  );
  expect(fault).toMatch(/1[45]\d ms and more in 3 of its last \d+ turns, and 50 ms are allowed.* at \S+mine\.ts:5/);
  await until("nothing to rest", async () => (await openOrdersOf(scene.validatorUrl)).length === 0);
  expect(await daemon.end()).toBe(0);
});

it("edge: a process that is stopped in the middle of its strategy's turns, over and over, is not taken for one that waits", async () => {
  // All of its processor time: most of a loop that asks for it is the system's.
  const busy =
    "const used = () => { const { user, system } = process.threadCpuUsage(); return user + system; }; for (const since = used(); used() - since < 3000; );";
  writeFileSync(file(), strategy(quotesUntil(`if (memory.turns > 0) { ${busy} }`)));
  const started = await startDaemonProcess(scene);
  ({ process: daemon, url } = started);
  const { child } = started.process;
  await until("its orders", async () => (await openOrdersOf(scene.validatorUrl)).length === 2);
  // A stop of 80 ms each 40 ms, as a limiter of processor time does it: some of them fall into a turn.
  for (let nth = 0; nth < 60; nth += 1) {
    child.kill("SIGSTOP");
    await setTimeout(80);
    child.kill("SIGCONT");
    await setTimeout(40);
  }
  expect(
    daemon
      .stdout()
      .split("\n")
      .filter((line) => line.includes("strategy.fault")),
  ).toEqual([]);
  expect(await daemon.end()).toBe(0);
});
