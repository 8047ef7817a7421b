// A search for parameters as a user runs it, in a process: killed with -9 in the middle, the same command goes on and prints the same bytes.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { quoinProcess } from "../support/quoin.ts";
import { recordedScene } from "../support/recorded-scene.ts";
import { scratchFolder } from "../support/scratch.ts";
import { until } from "../support/until.ts";
import { backtestFiles } from "../unit/backtest/scene.ts";

const HALF = "accounts.12.markets.1.params.halfSpreadBps";
const config = backtestFiles();
const folder = scratchFolder("tune");
const [resume, report] = [join(folder, "whole"), join(folder, "page.html")];
let recordings: readonly string[] = [];
/** A search in two recordings. */
let args: readonly string[] = [];
/** What it prints when nothing stops it. */
let whole: Awaited<ReturnType<typeof run>>;

beforeAll(async () => {
  // A print every other second: a few minutes hold enough blocks for a walk-forward.
  const devnet = join(dirname(config), "devnet.yaml");
  writeFileSync(devnet, readFileSync(devnet, "utf8").replaceAll(/printEverySecs: \d+/g, "printEverySecs: 2"));
  recordings = await recordedScene(config, 2, 0.05);
  args = [`--param=${HALF}`, "--runs", "14", ...recordings.flatMap((path) => ["--recording", path])];
  whole = await run([...args, "--resume", resume, "--report", report]);
});

async function run(args: readonly string[]) {
  const command = quoinProcess(["tune", "--config", config, "--workers", "1", "--json", ...args]);
  const exit = await command.exit;
  return { exit, stdout: command.stdout(), stderr: command.stderr() };
}

const rowsOf = (journal: string): number => {
  try {
    return readFileSync(journal, "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
};

test("killed in the middle, it goes on with the same bytes", async () => {
  const folderKilled = join(folder, "killed");
  const journal = join(folderKilled, "runs.jsonl");
  const words = ["tune", "--config", config, "--workers", "1", "--json", ...args, "--resume", folderKilled];
  const killed = quoinProcess(words);
  await until("three finished runs", () => rowsOf(journal) >= 3 || killed.isOver());
  await killed.end("SIGKILL");
  expect(killed.stdout()).toBe("");
  const before = rowsOf(journal);
  expect(await run([...args, "--resume", folderKilled])).toMatchObject({ exit: 0, stdout: whole.stdout });
  expect(rowsOf(journal)).toBeGreaterThan(before);
  expect(readFileSync(journal, "utf8")).toBe(readFileSync(join(resume, "runs.jsonl"), "utf8"));
});

test("it walks forward, in --json and on a page", () => {
  expect(whole.exit, whole.stderr).toBe(0);
  const lines = whole.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { kind, runs, reason, walkForward } = lines.at(-1);
  expect([kind, typeof reason]).toEqual(["tune", "string"]);
  expect(runs).toBeLessThanOrEqual(14);
  expect(walkForward.trials).toBe(4);
  expect(walkForward.folds).toHaveLength(4);
  const times = walkForward.folds.flatMap((fold: { fromMs: number; toMs: number }) => [fold.fromMs, fold.toMs]);
  expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
  expect(lines.slice(0, -1).every((line) => line.kind === "candidate" && line.runs === 2)).toBe(true);
  expect(readFileSync(report, "utf8")).toContain("Lead by halfSpreadBps");
});

test("what cannot be searched is refused before anything runs: exit 2, and the path", async () => {
  const [first = ""] = recordings;
  const still = backtestFiles();
  const devnet = join(dirname(still), "devnet.yaml");
  writeFileSync(devnet, readFileSync(devnet, "utf8").replace("enabled: true", "enabled: false"));
  const [quiet = ""] = await recordedScene(still, 1, 0.02);
  const refused = [
    [["--recording", first, "--recording", quiet, `--param=${HALF}`], "overlaps"],
    [["--recording", quiet, `--param=${HALF}`], quiet],
    [["--resume", resume, `--param=${HALF}`, "--recording", first, "--runs", "14"], resume],
    [["--recording", first, "--recording", join(folder, "none.qrec"), `--param=${HALF}`], "none.qrec"],
    [
      ["--recording", first, "--param=accounts.12.markets.1.params.size"],
      "accounts.12.markets.1.params.size=LOW..HIGH",
    ],
    [["--recording", first, "--param=accounts.12.markets.7.params.size=1..2"], "accounts.12.markets.7"],
    [["--recording", first, `--param=${HALF}=5..2`], "LOW must be below HIGH"],
    [["--recording", first, `--param=${HALF}`, "--report", join(dirname(config), "devnet.yaml")], "devnet.yaml"],
    [["--recording", first, `--param=${HALF}`, "--runs", "6"], "--runs 6"],
    [["--recording", first, `--param=${HALF}`, "--days", "1"], "--days"],
  ] as const;
  for (const [words, path] of refused) {
    const answer = await run(words);
    expect(answer, words.join(" ")).toMatchObject({ exit: 2, stdout: "", stderr: expect.stringContaining(path) });
  }
});
