// Quoin beside hftbacktest and nautilus_trader on one recorded session, in one run: speed by processor time, and which fills each predicts for
// the session's own orders. Needs Linux, python3 with pip, and the network; installs into a temporary folder alone.
// npx node bench/peers/main.ts [--recording FILE] [--folder FOLDER] > bench/peers/measured.md
// --folder: keeps what pip installed, 1.5 GB, for the next run. docs/benchmarks.md shows measured.md.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { recordingOf } from "../../src/backtest/recorded/recording.ts";
import { readSession } from "../../src/backtest/recorded/session.ts";
import { whyUnusable } from "../../src/cli/recorded.ts";
import { shown } from "../measure.ts";
import { fillTable } from "./fills.ts";
import { install, type Peer, PeerError, peers, pythonIn } from "./install.ts";
import { speedTable } from "./speed.ts";
import { writeStream } from "./stream.ts";

const { values } = parseArgs({
  options: {
    recording: { type: "string", default: resolve(import.meta.dirname, "../../docs/sample-session.qrec") },
    folder: { type: "string" },
  },
});
const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), "quoin-peers-")) : resolve(values.folder);
try {
  mkdirSync(folder, { recursive: true });
  await measure(values.recording, pythonIn(folder));
} catch (error) {
  const why = error instanceof PeerError ? error.message : whyUnusable(error, values.recording);
  if (why === null) throw error;
  console.error(why);
  process.exitCode = 1;
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true });
}

async function measure(path: string, python: string): Promise<void> {
  const recording = recordingOf(path);
  const session = readSession(recording);
  const installed = new Set(Object.values(peers).filter((peer) => isInstalled(python, peer)));
  if (installed.size === 0) throw new PeerError("no peer could be installed: there is nothing to compare");
  const events = writeStream(recording, session, folder);
  const { stdout: version } = spawnSync(python, ["--version"], { encoding: "utf8" });
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${cpus()[0]?.model ?? "an unknown processor"}, ${version.trim()}, Node ${process.version}`;
  print(`${date}, ${machine}; ${shown(events)} changed levels and trades.\n`);
  print(await speedTable(path, { folder, events }, { python, installed }));
  print((await fillTable(recording, session, folder, { python, installed })).trimEnd());
}

function isInstalled(python: string, peer: Peer): boolean {
  try {
    install(python, peer);
    return true;
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    console.error(error.message);
    return false;
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
