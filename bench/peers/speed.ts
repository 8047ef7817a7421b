// Events a second by processor time, of each program with the same quoting rule on the same stream.

import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { recordingOf } from "../../src/backtest/recorded/recording.ts";
import { runRecorded } from "../../src/backtest/recorded/run-recorded.ts";
import { inRecording } from "../../src/backtest/screen/run-screened.ts";
import { screen } from "../../src/backtest/screen/screen.ts";
import { loadConfiguration } from "../../src/configuration.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";
import { median, shown } from "../measure.ts";
import { endedMs } from "../processor-time.ts";
import { type Installed, type Peer, PeerError, run } from "./install.ts";
import { tableOf } from "./table.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CONFIG = join(import.meta.dirname, "quoin.yaml");
/** Runs of each loop, after as many as warm it up, and of each whole process. A screening's loop is warm when its code is compiled. */
const [LOOPS, PROCESSES] = [5, 3];
const [WARM_UPS, SCREENING_WARM_UPS] = [1, 50];

/** `path`: the recording; `folder`: the stream that was written from it, of so many `events`. Throws PeerError. */
export async function speedTable(
  path: string,
  { folder, events }: { readonly folder: string; readonly events: number },
  { python, installed }: Installed,
): Promise<string> {
  const row = (name: string, loopMs: number, wholeMs: number): readonly string[] => [
    name,
    shown((1000 * events) / loopMs),
    (wholeMs / 1000).toFixed(1),
    shown((1000 * events) / wholeMs),
  ];
  const backtest = ["src/start.js", "backtest", "--recording", resolve(path), "--config", CONFIG];
  const screening = [...backtest, "--approximate"];
  // A screening runs in a process without the whole bot, whose objects have other shapes.
  const screenedMs = await screeningLoopMs(path);
  const rows = [
    row("Quoin, `backtest --recording`", await quoinLoopMs(path), processMs(process.execPath, backtest)),
    row("the same, `--approximate`", screenedMs, processMs(process.execPath, screening)),
  ];
  for (const peer of installed) {
    const once = [join(import.meta.dirname, peer.script), folder, "speed", "1"];
    rows.push(row(`${peer.name} ${peer.version}`, peerLoopMs(python, peer, folder), processMs(python, once)));
  }
  return tableOf(["Same quoting rule", "Events/s, loop alone", "Whole process, s", "Events/s, whole process"], rows);
}

const JOB = { file: CONFIG, name: null, settings: [], seed: 1n, warmUpDays: 0, days: 1, world: "fixed" } as const;

/** Reading the recording included. */
async function quoinLoopMs(path: string): Promise<number> {
  const { bot } = await loadConfiguration(CONFIG, systemFiles);
  const job = { ...JOB, keepsFills: false, shortcuts: true };
  return loopMs(WARM_UPS, () => runRecorded(bot, job, recordingOf(path)));
}

/** Its tape is made before, as the stream of the peers is. */
async function screeningLoopMs(path: string): Promise<number> {
  const { bot } = await loadConfiguration(CONFIG, systemFiles);
  const { tape, ...screening } = inRecording(bot, path);
  const job = { ...JOB, keepsFills: false, shortcuts: true };
  return loopMs(SCREENING_WARM_UPS, () => screen(tape, [{ ...screening, job }]));
}

async function loopMs(warmUps: number, loop: () => unknown): Promise<number> {
  const runs: number[] = [];
  for (let at = 0; at < warmUps + LOOPS; at += 1) {
    const before = process.cpuUsage();
    await loop();
    const { user, system } = process.cpuUsage(before);
    runs.push((user + system) / 1000);
  }
  return median(runs.slice(warmUps));
}

function peerLoopMs(python: string, peer: Peer, folder: string): number {
  const runs = run(python, peer, [folder, "speed", `${LOOPS + 1}`]) as readonly { readonly seconds: number }[];
  return median(runs.slice(1).map(({ seconds }) => 1000 * seconds));
}

function processMs(command: string, given: readonly string[]): number {
  const runs = Array.from({ length: PROCESSES }, () => {
    const before = endedMs();
    const { status } = spawnSync(command, given, { cwd: ROOT, stdio: "ignore" });
    if (status !== 0) throw new PeerError(`${[command, ...given].join(" ")} ended with ${status}`);
    return endedMs() - before;
  });
  return median(runs);
}
