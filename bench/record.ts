// Cost of a recording: in the turn, which passes steps by reference, and outside it, where they become bytes; and the speed of reading and
// replaying it, all in processor time. Uses the demo, recorded in virtual time, whose loop does the same work as its replay.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordingOf } from "../src/backtest/recorded/recording.ts";
import { runRecorded } from "../src/backtest/recorded/run-recorded.ts";
import type { Input } from "../src/bot/decider/input.ts";
import type { Output } from "../src/bot/decider/output.ts";
import { recordInputs } from "../src/bot/live/recorded-inputs.ts";
import type { Entry, Start } from "../src/bot/recording/entry.ts";
import { LineWriter } from "../src/bot/recording/lines.ts";
import { type Recorded, recordedIn } from "../src/bot/recording/reader.ts";
import { FILE_BYTES_MAX, Recorder } from "../src/bot/recording/recorder.ts";
import { loadAccount } from "../src/bot/service/replay/recorded-config.ts";
import { ReplayedRun, readingsOf } from "../src/bot/service/replay/recorded-run.ts";
import { replay as replayAll } from "../src/bot/service/replay/replay.ts";
import { loadConfiguration } from "../src/configuration.ts";
import { HOUR_MS } from "../src/kernel/clock.ts";
import { createVirtualClock } from "../src/kernel/virtual-clock.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { DEMO } from "../test/support/demo-market.ts";
import { type Bench, median, medianOf } from "./measure.ts";
import { recordSession } from "./recorded-session.ts";

const HOURS = 0.25;
const HOURS_QUICK = 0.03;
const RUNS = 5;
const GOAL_PERCENT = 5;
const GOAL_MB_A_DAY = 100;
const GOAL_READ_US = 3;
/** About the entries of one second of the demo. */
const ENTRIES_A_BATCH = 32;
const DAY_HOURS = 24;

/** Processor time of this process, which other processes do not affect. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

type Session = {
  readonly start: Start;
  readonly lines: readonly Recorded[];
  readonly turns: number;
  readonly bytes: number;
  readonly hours: number;
};

async function inRecordedFolder<T>(hours: number, use: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "quoin-record-"));
  try {
    const { bot, devnet } = await loadConfiguration(DEMO, systemFiles);
    if (devnet === null) throw new RangeError("the demo has a devnet");
    await recordSession(devnet, { bot, hours, seed: 1n, folder });
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const session = (hours: number): Promise<Session> =>
  inRecordedFolder(hours, (folder) => {
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    const lines = [...recordedIn(folder, { withDecisions: true })];
    const turns = entriesOf(lines).filter(({ decided }) => decided?.of === "turn").length;
    const [life] = lines;
    if (life?.kind !== "life") throw new RangeError("a recording begins with a run");
    return { start: life.start, lines, turns, bytes, hours };
  });

const entriesOf = (lines: readonly Recorded[]): readonly Entry[] =>
  lines.flatMap((line) => (line.kind === "entry" ? [line.entry] : []));

/** Processor time of one replay, ms. */
async function replayMs(lines: readonly Recorded[]): Promise<number> {
  const startedMs = cpuMs();
  const { differing } = await replayAll(lines, null, () => false);
  if (differing > 0) throw new Error("a decision of the session did not come out again");
  return cpuMs() - startedMs;
}

async function replaysMs(lines: readonly Recorded[]): Promise<number> {
  await replayMs(lines);
  const runs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await replayMs(lines));
  return median(runs);
}

type Step = { readonly input: Input; readonly outputs: readonly Output[] };

/** The inputs of a session's machine, with their outputs. */
async function stepsOf({ start, lines }: Session): Promise<readonly Step[]> {
  const run = new ReplayedRun(start, await Promise.all(start.accounts.map(loadAccount)), false);
  let readings = readingsOf(start.readings);
  return entriesOf(lines).map((entry) => {
    const { decided: _, digest: __, folded: ___, readings: changed, mayTurn = true, ...told } = entry;
    if (changed !== undefined) readings = readingsOf(changed);
    return { input: { ...told, mayTurn, readings } as Input, outputs: run.play(entry) };
  });
}

/** Processor time, ms, of passing each step to the recorder, whose timer never runs. */
function handingMs(steps: readonly Step[], start: Start): number {
  const recorder = new Recorder({
    clock: createVirtualClock({ startMs: start.instant.wallMs }),
    files: { append: () => {}, settled: () => Promise.resolve() },
    version: start.version,
    fileBytesMax: FILE_BYTES_MAX,
    onFailed: (why) => {
      throw new Error(why);
    },
    onWritten: () => {},
  });
  recorder.start(start);
  const hand = recordInputs(recorder, readingsOf(start.readings));
  const startedMs = cpuMs();
  for (const { input, outputs } of steps) hand(input, outputs);
  return cpuMs() - startedMs;
}

function writingMs(entries: readonly Entry[]): number {
  const writer = new LineWriter();
  const startedMs = cpuMs();
  for (const [at, entry] of entries.entries()) {
    writer.add(entry);
    if (at % ENTRIES_A_BATCH === 0) writer.take();
  }
  return cpuMs() - startedMs;
}

/** Events of a recording, and the processor time for reading them, ms. */
function reading(folder: string, withDecisions: boolean): { readonly events: number; readonly ms: number } {
  let events = 0;
  const ms = medianOf(RUNS, () => {
    events = 0;
    const startedMs = cpuMs();
    for (const recorded of recordedIn(folder, { withDecisions }))
      if (recorded.kind === "entry" && recorded.entry.kind === "event") events += 1;
    return cpuMs() - startedMs;
  });
  return { events, ms };
}

export const record: Bench = {
  name: "record",
  async run({ quick }) {
    const recorded = await session(quick ? HOURS_QUICK : HOURS);
    const { turns, bytes, hours, lines, start } = recorded;
    const entries = entriesOf(lines);
    const steps = await stepsOf(recorded);
    const microsATurn = (ms: number): number => (ms / turns) * 1000;
    const loopUs = microsATurn(await replaysMs(lines));
    const handedUs = microsATurn(medianOf(RUNS, () => handingMs(steps, start)));
    const writtenMs = medianOf(RUNS, () => writingMs(entries));
    const percent = (100 * handedUs) / loopUs;
    const mbADay = ((bytes / hours) * DAY_HOURS) / 2 / 1e6;
    return {
      name: "record",
      value: percent,
      unit: "% of what the loop does a turn",
      reference: "the goal",
      referenceValue: GOAL_PERCENT,
      ratio: GOAL_PERCENT / percent,
      goal: { goal: GOAL_PERCENT, wanted: "atMost" },
      goals: [{ figure: "mbADayAndMarket", value: mbADay, unit: "MB", goal: GOAL_MB_A_DAY, wanted: "atMost" }],
      beside: {
        handedUs,
        loopUs,
        writtenUs: microsATurn(writtenMs),
        entriesATurn: entries.length / turns,
      },
    };
  },
};

export const readRecording: Bench = {
  name: "read-recording",
  run: ({ quick }) =>
    inRecordedFolder(quick ? HOURS_QUICK : HOURS, (folder) => {
      const { events, ms } = reading(folder, false);
      const micros = (ms / events) * 1000;
      return {
        name: "read-recording",
        value: micros,
        unit: "us an event",
        reference: "the goal",
        referenceValue: GOAL_READ_US,
        ratio: GOAL_READ_US / micros,
        goal: { goal: GOAL_READ_US, wanted: "atMost" },
        beside: {
          eventsPerSec: (events / ms) * 1000,
          withDecisionsUs: (reading(folder, true).ms / events) * 1000,
        },
      };
    }),
};

export const replay: Bench = {
  name: "replay",
  async run({ quick }) {
    const { lines, turns, hours } = await session(quick ? HOURS_QUICK : HOURS);
    const ms = await replaysMs(lines);
    const times = (hours * HOUR_MS) / ms;
    return {
      name: "replay",
      value: times,
      unit: "x real time",
      reference: "real time",
      referenceValue: 1,
      ratio: times,
      beside: { turnsPerSec: (turns / ms) * 1000, dayMinutes: (DAY_HOURS * 60) / times },
    };
  },
};

const BACKTEST = { file: DEMO, name: null, keepsFills: false, settings: [], seed: 1n, warmUpDays: 0 };

/** Backtests the demo's bot on a session that it recorded itself, including reading, in processor time. */
export const backtestRecording: Bench = {
  name: "backtest-recording",
  async run({ quick }) {
    const hours = quick ? HOURS_QUICK : HOURS;
    const { bot } = await loadConfiguration(DEMO, systemFiles);
    const job = { ...BACKTEST, days: hours / DAY_HOURS, world: "fixed" as const, shortcuts: true };
    const timesReal = await inRecordedFolder(hours, async (folder) => {
      const runs: number[] = [];
      for (let run = 0; run <= RUNS; run += 1) {
        const startedMs = cpuMs();
        const { simulatedMs } = await runRecorded(bot, job, recordingOf(folder));
        runs.push(simulatedMs / (cpuMs() - startedMs));
      }
      return median(runs.slice(1));
    });
    return {
      name: "backtest-recording",
      value: timesReal,
      unit: "x real time",
      reference: "real time",
      referenceValue: 1,
      ratio: timesReal,
    };
  },
};
