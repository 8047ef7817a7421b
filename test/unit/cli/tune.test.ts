// The command: what it prints, what it refuses, how it goes on where it stopped, and what it hands over.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Outcome } from "../../../src/backtest/outcome.ts";
import { type TuneOptions, tune } from "../../../src/cli/tune.ts";
import { loadConfiguration } from "../../../src/configuration.ts";
import type { Host } from "../../../src/host/host.ts";
import { processHost } from "../../../src/host/process.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { backtestFiles } from "../backtest/scene.ts";

const config = backtestFiles();
const HALF = "accounts.12.markets.1.params.halfSpreadBps";
/** A third of a simulated minute each. */
const options: TuneOptions = {
  config,
  param: [`${HALF}=1..12`],
  recording: [],
  days: 0.000_25,
  seeds: 3,
  seed: 1n,
  runs: 24,
  workers: 2,
  json: true,
};

async function run(changes: Partial<TuneOptions>, hostChanges: Partial<Host> = {}, base: TuneOptions = options) {
  const out: string[] = [];
  const err: string[] = [];
  const host: Host = {
    ...processHost,
    stdout: (text) => void out.push(`${text}`),
    stderr: (text) => void err.push(`${text}`),
    terminal: { stdout: false, stderr: false },
    onSignal: () => () => {},
    ...hostChanges,
  };
  const code = await tune({ ...base, ...changes }, host);
  return { code, out: out.join(""), errors: err.join("") };
}

const linesOf = (text: string) => text.trimEnd().split("\n");
const objectsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line));

test("it goes on where it was killed, with the same bytes, and hands a winner over without touching the configuration", async () => {
  const resume = join(scratchFolder("tune"), "search");
  const journal = join(resume, "runs.jsonl");
  const before = readFileSync(config, "utf8");
  const first = await run({ resume });
  expect(first.code).toBe(0);
  const objects = objectsOf(first.out);
  const last = objects.at(-1);
  expect(last).toMatchObject({ kind: "tune", reason: expect.any(String) });
  expect(last.runs).toBeLessThanOrEqual(24);
  for (const candidate of objects.slice(0, -1))
    expect(candidate).toMatchObject({
      kind: "candidate",
      runs: 3,
      pnlMean: expect.any(Number),
      ci95: [expect.any(Number), expect.any(Number)],
    });

  // As kill -9 leaves it: runs are missing, and the last is cut off.
  const rows = linesOf(readFileSync(journal, "utf8"));
  writeFileSync(journal, `${rows.slice(0, 5).join("\n")}\n`);
  appendFileSync(journal, rows[5]?.slice(0, 200) ?? "");
  const again = await run({ resume, workers: 1 });
  expect(again.out).toBe(first.out);
  expect(linesOf(readFileSync(journal, "utf8"))).toHaveLength(rows.length);
  expect((await run({ resume, seed: 2n })).errors).toBe(
    `quoin: --resume ${resume} is of another search: of other options, recordings, files or version; name another folder\n`,
  );
  expect(await run({ resume, runs: 25 })).toMatchObject({ code: 2, out: "" });

  // No setting earned anything.
  const rewritten = (change: (outcome: Outcome) => void) =>
    linesOf(readFileSync(journal, "utf8")).map((row) => {
      const outcome = JSON.parse(row);
      change(outcome);
      return JSON.stringify(outcome);
    });
  const out = join(dirname(config), "tuned.yaml");
  const equal = rewritten(
    ({ line, curves }) => Object.assign(line, { pnlAtClose: "0" }) && Object.assign(curves, { days: [] }),
  );
  writeFileSync(journal, `${equal.join("\n")}\n`);
  const nothing = await run({ resume, out });
  expect(nothing.errors).toMatch(new RegExp(`\\nquoin: there is no winner, so ${out} is not written\\n$`));
  expect([nothing.code, existsSync(out)]).toEqual([0, false]);

  // One setting earned 1,000 USDC more in each run.
  const best = objects.find(({ confirmed, set }) => confirmed && set[HALF] !== undefined).set;
  const better = rewritten(({ line }) => {
    if (line.set[HALF] === best[HALF]) Object.assign(line, { pnlAtClose: `${Number(line.pnlAtClose) + 1000}` });
  });
  writeFileSync(journal, `${better.join("\n")}\n`);
  const found = await run({ resume, out });
  const { winner } = objectsOf(found.out).at(-1);
  expect(winner).toMatchObject({ set: best, verdict: "better", confirmed: true });
  const shadow = `shadow: { strategy: "fixed-spread", params: { halfSpreadBps: ${best[HALF]}, size: 0.5, levels: 2, stepBps: 4 } }\n`;
  expect(winner.shadow).toBe(`# accounts.12.markets.1\n${shadow}`);
  const { bot } = await loadConfiguration(out, systemFiles);
  expect(bot.accounts[0]?.markets[0]?.shadow?.strategy.params).toMatchObject({ halfSpreadBps: best[HALF] });
  const report = join(dirname(config), "tuned.html");
  const { out: table } = await run({ resume, report, json: false });
  const page = readFileSync(report, "utf8");
  expect(page).toContain(`--param ${HALF}=1..12 --days 0.00025 --seeds 3 --seed 1 --runs 24`);
  expect(page).toContain(`halfSpreadBps=${best[HALF]}`);
  expect(table).toContain("Confirmed on seeds that the search did not use:\n");
  expect(table).toContain(`halfSpreadBps=${best[HALF]}: it scores`);
  expect(table.endsWith(`\n\n# accounts.12.markets.1\n${shadow}`)).toBe(true);
  expect(readFileSync(config, "utf8")).toBe(before);
});

test.each<readonly [Partial<TuneOptions>, RegExp]>([
  [{ param: [] }, /an option is missing: --param/],
  [{ param: [`${HALF}=12..1`] }, /LOW must be below HIGH/],
  [{ param: ["accounts.12.markets.9.params.size=1..2"] }, /accounts\.12\.markets\.9\.params\.size=1: .*names nothing/],
  [{ param: [`${HALF}=1..99999`] }, /halfSpreadBps=99999: /],
  [{ seeds: 2 }, /--seeds 2: a search needs 3 seeds at least/],
  [{ runs: 23 }, /--runs 23: with 3 seeds a search needs 24 runs at least/],
  [
    { recording: ["session.qrec"], screen: 12 },
    /^quoin: --screen 12 is not for recordings: it would choose settings by the very blocks that test them/,
  ],
  [{ out: config }, /is the configuration itself/],
  [{ report: config }, /--report .* is the configuration itself/],
  [{ config: "nowhere.yaml" }, /nowhere\.yaml/],
])("%j: exit 2 before anything runs", async (changes, why) => {
  const { code, out, errors } = await run(changes);
  expect([code, out]).toEqual([2, ""]);
  expect(errors).toMatch(why);
});

test.each<readonly [string, { readonly folder?: string; readonly file?: string; readonly text?: string }, RegExp]>([
  ["a file", { file: "kept" }, /--resume \S+kept cannot be written: a file of that name is there already/],
  ["a place whose parts are no folders", { file: "" }, /--resume \S+kept cannot be written: /],
  [
    "a folder in the place of the runs",
    { folder: "kept/runs.jsonl" },
    /--resume \S+runs\.jsonl cannot be written: it is a/,
  ],
  [
    "a folder in the place of the search",
    { folder: "kept/tune.json" },
    /--resume \S+tune\.json cannot be written: a file/,
  ],
  ["a search that is cut off", { file: "kept/tune.json", text: "{" }, /--resume \S+tune\.json cannot be read: /],
  ["runs that are none", { file: "kept/runs.jsonl", text: "{}\nno\n" }, /\S+runs\.jsonl, line 2, cannot be read: /],
])("--resume on %s: exit 2 and why", async (_, { folder, file, text = "" }, why) => {
  const scene = join(scratchFolder("resume"), "scene");
  if (folder !== undefined) mkdirSync(join(scene, folder), { recursive: true });
  if (file !== undefined) {
    mkdirSync(dirname(join(scene, file)), { recursive: true });
    writeFileSync(join(scene, file), text);
  }
  const { code, out, errors } = await run({ resume: join(scene, "kept") });
  expect([code, out]).toEqual([2, ""]);
  expect(errors).toMatch(why);
});

test("a budget chooses the number of runs, which is told and kept; one that is too small is refused", async () => {
  const resume = join(scratchFolder("budget"), "search");
  const { runs: _, ...unset } = options;
  // A clock that moves by a second each time it is read: so long the first run takes.
  let nowMs = 0;
  const clock = { ...processHost.clock, monotonicMs: () => (nowMs += 1000) };
  const withBudget = (budget: number) => run({ budget, resume, workers: 1 }, { clock }, unset);
  // Timing takes four seconds.
  expect(await withBudget(27_000)).toMatchObject({
    code: 2,
    errors: expect.stringMatching(/is for 23 runs, .* needs 24/),
  });
  const found = await withBudget(28_000);
  expect(found).toMatchObject({ code: 0, errors: expect.stringContaining("--runs 24 is the same search") });
  expect(JSON.parse(readFileSync(join(resume, "tune.json"), "utf8"))).toMatchObject({ runs: 24 });
  expect((await run({ resume })).out).toBe(found.out);
  const keys = linesOf(readFileSync(join(resume, "runs.jsonl"), "utf8")).map((row) => JSON.parse(row).key);
  expect(new Set(keys).size, "the timed run is not repeated").toBe(keys.length);
});

test("before the first run it says what will run, and where it reads recordings, that it reads", async () => {
  const onSignal: Host["onSignal"] = (_, stop) => {
    stop();
    return () => {};
  };
  const first = async (changes: Partial<TuneOptions>) =>
    linesOf((await run(changes, { onSignal, cores: 2 })).errors)[0];
  expect(await first({})).toBe(
    "quoin: up to 24 runs of 0.00025 days on 2 cores; if they take more than a minute, it soon says how long",
  );
  expect(await first({ recording: ["nowhere.qrec"] })).toBe("quoin: reading 1 recording");
});

test("stopped, it ends with 1 and says how it goes on", async () => {
  const resume = join(scratchFolder("stopped"), "search");
  const onSignal: Host["onSignal"] = (_, stop) => {
    stop();
    return () => {};
  };
  expect(await run({ resume }, { onSignal })).toEqual({
    code: 1,
    out: "",
    errors: expect.stringMatching(/\nquoin: stopped before the search was over; the same command goes on from here\n$/),
  });
  expect(existsSync(join(resume, "tune.json"))).toBe(true);
});

test("--screen: more settings than race are screened first, the same bytes again, and each candidate tells its screened score", async () => {
  const privateFolder = join(scratchFolder("private"), "quoin");
  const resume = join(scratchFolder("tune"), "screened");
  const first = await run({ screen: 12, resume, days: 0.001 }, { privateFolder });
  expect(first).toMatchObject({ code: 0 });
  const candidates = objectsOf(first.out).slice(0, -1);
  expect(candidates.length).toBeLessThan(12);
  for (const { screenedScore } of candidates) expect(screenedScore).toEqual(expect.any(Number));
  expect((await run({ screen: 12, resume, days: 0.001 }, { privateFolder })).out).toBe(first.out);
  const text = await run({ screen: 12, resume, days: 0.001, json: false }, { privateFolder });
  expect(text.out).toMatch(
    /The screening, which chose who raced, scored these [0-9.]+ USDC a day (higher|lower) on average/,
  );
  expect((await run({ screen: 13, resume, days: 0.001 }, { privateFolder })).code).toBe(2);
});
