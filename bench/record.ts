// What a recording costs: on the path of a turn, where entries are handed over by reference, and beside it, where they become text and are
// packed; and how fast it is replayed, all in processor time. On the demo, recorded in virtual time, whose work in the loop is that of its replay.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import type { Entry } from "../src/bot/recording/entry.ts";
import { exactText } from "../src/bot/recording/exact-text.ts";
import { packing } from "../src/bot/recording/files.ts";
import { type Recorded, readRecording } from "../src/bot/recording/reader.ts";
import { LiveEntries } from "../src/bot/service/loop/entries.ts";
import { replay as replayAll } from "../src/bot/service/replay/replay.ts";
import { HOUR_MS, systemClock } from "../src/kernel/clock.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { loadConfiguration } from "../src/sim/configuration.ts";
import { type Bench, median, medianOf } from "./measure.ts";
import { recordSession } from "./recorded-session.ts";

const HOURS = 0.25;
const HOURS_QUICK = 0.03;
const RUNS = 5;
const GOAL_PERCENT = 5;
const GOAL_MB_A_DAY = 100;
const BATCH_BYTES = 8192;
const DAY_HOURS = 24;

/** Of this process: others at work on the machine count for nothing. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

type Session = {
  readonly lines: readonly Recorded[];
  readonly turns: number;
  readonly bytes: number;
  readonly hours: number;
};

async function session(hours: number): Promise<Session> {
  const folder = mkdtempSync(join(tmpdir(), "quoin-record-"));
  try {
    const { bot, devnet } = await loadConfiguration("config/demo.yaml", systemFiles);
    if (devnet === null) throw new RangeError("the demo has a devnet");
    await recordSession(devnet, { bot, hours, seed: 1n, folder });
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    const lines = await Array.fromAsync(readRecording(folder));
    const turns = lines.reduce((sum, line) => sum + (line.kind === "entry" ? turnsIn(line.entry) : 0), 0);
    return { lines, turns, bytes, hours };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const turnsIn = ({ kind, inner = [] }: Entry): number =>
  inner.reduce((sum, entry) => sum + turnsIn(entry), kind === "turn" ? 1 : 0);

async function* again(lines: readonly Recorded[]): AsyncGenerator<Recorded> {
  yield* lines;
}

/** Processor time of one replay, ms. */
async function replayMs(lines: readonly Recorded[]): Promise<number> {
  const startedMs = cpuMs();
  const { differing } = await replayAll(again(lines), null, () => false);
  if (differing > 0) throw new Error("a decision of the session did not come out again");
  return cpuMs() - startedMs;
}

async function replaysMs(lines: readonly Recorded[]): Promise<number> {
  await replayMs(lines);
  const runs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await replayMs(lines));
  return median(runs);
}

/** Processor time, ms, of going in and out of every entry of the session, with nothing done in them. */
function enteringMs(entries: readonly Entry[], isRecorded: boolean): number {
  let waiting: Entry[] = [];
  const live = new LiveEntries(
    systemClock,
    isRecorded
      ? (entry) => {
          waiting.push(entry);
          if (waiting.length > 1000) waiting = [];
        }
      : null,
  );
  const enter = (entry: Entry): void => {
    const { instant: _, hole: __, told, inner, decided, ...act } = entry;
    live.enter(
      act,
      () => {
        for (const [name, value] of told ?? []) live.told(name, () => value);
        for (const within of inner ?? []) live.outside(() => enter(within));
      },
      () => decided && { ...decided },
    );
  };
  const startedMs = cpuMs();
  for (const entry of entries) enter(entry);
  return cpuMs() - startedMs;
}

const entriesOf = ({ lines }: Session): readonly Entry[] =>
  lines.flatMap((line) => (line.kind === "entry" ? [line.entry] : []));

function packingMs(text: Buffer): number {
  const startedMs = cpuMs();
  for (let at = 0; at < text.length; at += BATCH_BYTES) {
    const dictionary = text.subarray(Math.max(0, at - (1 << 17)), at);
    zstdCompressSync(text.subarray(at, at + BATCH_BYTES), packing(dictionary));
  }
  return cpuMs() - startedMs;
}

export const record: Bench = {
  name: "record",
  async run({ quick }) {
    const recorded = await session(quick ? HOURS_QUICK : HOURS);
    const entries = entriesOf(recorded);
    const { turns, bytes, hours, lines } = recorded;
    const microsATurn = (ms: number): number => (ms / turns) * 1000;
    const loopUs = microsATurn(await replaysMs(lines));
    const handedUs = microsATurn(medianOf(RUNS, () => enteringMs(entries, true) - enteringMs(entries, false)));
    const texts: Buffer[] = [];
    const textMs = medianOf(RUNS, () => {
      texts.length = 0;
      const startedMs = cpuMs();
      for (const entry of entries) texts.push(Buffer.from(exactText(entry)));
      return cpuMs() - startedMs;
    });
    const packMs = medianOf(1, () => packingMs(Buffer.concat(texts)));
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
        textUs: microsATurn(textMs),
        packUs: microsATurn(packMs),
        entriesATurn: entries.length / turns,
      },
    };
  },
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
