// What makes a run the same as one that was finished before: everything that decides its result, and nothing else.

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { jobsOf } from "../../../src/backtest/backtest.ts";
import { parseAxis, readCells } from "../../../src/backtest/grid.ts";
import type { BacktestJob, Outcome } from "../../../src/backtest/outcome.ts";
import { openJournal } from "../../../src/backtest/run-files.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { backtestFiles } from "./scene.ts";

const PROGRAM = "a hash of the program";
const outcome = { simulatedMs: 1 } as Outcome;
let file: string;
let folder: string;
let journal: string;

beforeEach(() => {
  file = backtestFiles();
  folder = dirname(file);
  journal = join(scratchFolder("journal"), "sweep.jsonl");
});

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const edit = (name: string, from: string, to: string): void => {
  const text = readFileSync(join(folder, name), "utf8");
  expect(text).toContain(from);
  write(name, text.replace(from, to));
};

async function jobs(...sets: readonly string[]): Promise<readonly BacktestJob[]> {
  const cells = await readCells(join(folder, "bot.yaml"), sets.map(parseAxis), systemFiles);
  return jobsOf({
    cells,
    firstSeed: 1n,
    seeds: 1,
    markets: [{ days: 1, warmUpDays: 0 }],
    world: "drawn",
    shortcuts: true,
    keepsFills: false,
  });
}

/** Finishes the runs, then changes something: which of them are still finished. */
async function finishedAfter(change: () => void, set: string, program = PROGRAM): Promise<readonly boolean[]> {
  const { add } = openJournal(journal, PROGRAM);
  for (const job of await jobs(set)) add(job, outcome);
  change();
  const { finished } = openJournal(journal, program);
  return (await jobs(set)).map((job) => finished(job) !== undefined);
}

const EMBEDDED = "venue.embedded=devnet.yaml,other.yaml";
const STRATEGY = "accounts.12.markets.1.strategy=fixed-spread,./mine.ts";
const writeOther = (): void => write("other.yaml", readFileSync(join(folder, "devnet.yaml"), "utf8"));
const writeMine = (): void => {
  write(
    "mine.ts",
    `import { strategy as fixedSpread } from "${new URL("../../../strategies/fixed-spread.ts", import.meta.url).pathname}";
import { summary } from "./words.ts";
export const strategy = { ...fixedSpread, name: "mine", summary };`,
  );
  write("words.ts", 'export const summary = "mine";');
};

test("nothing has changed: all are; nor does it matter where the files lie", async () => {
  writeOther();
  expect(await finishedAfter(() => {}, EMBEDDED)).toEqual([true, true]);
  const moved = scratchFolder("moved");
  cpSync(folder, moved, { recursive: true });
  folder = moved;
  expect((await jobs(EMBEDDED)).map((job) => openJournal(journal, PROGRAM).finished(job))).toEqual([outcome, outcome]);
});

test("an edit of a devnet that one setting names: its run alone is made again", async () => {
  writeOther();
  expect(await finishedAfter(() => edit("other.yaml", "seed: 7", "seed: 8"), EMBEDDED)).toEqual([true, false]);
});

test("an edit of a strategy that one setting names, or of what that imports: its run alone is made again", async () => {
  writeMine();
  expect(await finishedAfter(() => edit("mine.ts", "...fixedSpread", " ...fixedSpread"), STRATEGY)).toEqual([
    true,
    false,
  ]);
  expect(await finishedAfter(() => edit("words.ts", "mine", "yours"), STRATEGY)).toEqual([true, false]);
});

test("an edit of the bot's file, or another program: all are made again", async () => {
  writeOther();
  expect(await finishedAfter(() => edit("bot.yaml", "maxLoss: 500", "maxLoss: 501"), EMBEDDED)).toEqual([false, false]);
  expect(await finishedAfter(() => {}, EMBEDDED, "a program that was edited")).toEqual([false, false]);
});

test("settings that are mappings are told apart by what they hold; 4 is not the text 4", async () => {
  const { add } = openJournal(journal, PROGRAM);
  const [job] = await jobs();
  const of = (value: unknown) => ({ ...(job as BacktestJob), settings: [{ path: "fleet", value }] });
  add(of({ node: "a" }), outcome);
  add(of(4), outcome);
  const known = openJournal(journal, PROGRAM);
  expect([{ node: "a" }, { node: "b" }, 4, "4"].map((value) => known.finished(of(value)) !== undefined)).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test("a run in another recording, or in the devnet, is another; a file with runs of none of the markets is told", async () => {
  const [job] = await jobs();
  const inRecording = (hash: string): BacktestJob => ({
    ...(job as BacktestJob),
    recording: { path: `${hash}.qrec`, name: hash, hash },
  });
  expect(openJournal(journal, PROGRAM).isOfOther([inRecording("a")]), "it has no run").toBe(false);
  openJournal(journal, PROGRAM).add(inRecording("a"), outcome);
  const { finished, isOfOther } = openJournal(journal, PROGRAM);
  expect(finished(inRecording("a"))).toEqual(outcome);
  expect([inRecording("b"), job as BacktestJob].map(finished)).toEqual([undefined, undefined]);
  expect(isOfOther([inRecording("b")])).toBe(true);
  expect(isOfOther([job as BacktestJob])).toBe(true);
  expect(isOfOther([inRecording("b"), inRecording("a")]), "a further recording").toBe(false);
});

test("a folder in its place, and a place where no file can be made, are refused before anything runs", () => {
  expect(() => openJournal(folder, PROGRAM)).toThrow(`--resume ${folder} cannot be written: it is a folder`);
  const below = join(folder, "nowhere", "sweep.jsonl");
  expect(() => openJournal(below, PROGRAM)).toThrow(`--resume ${below} cannot be written: no file can be made there`);
});

test.each(["a file", "memory"])("what was added is known at once, in %s", async (where) => {
  const { add, finished } = openJournal(where === "memory" ? null : journal, PROGRAM);
  const [job] = (await jobs()) as [BacktestJob];
  expect(finished(job)).toBeUndefined();
  add(job, outcome);
  expect(finished(job)).toEqual(outcome);
});
