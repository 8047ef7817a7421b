// How long an operator waits, with real processes, sockets and disks and 50 resting orders: from kill -9 until the next run is reconciled
// and quotes in full; from the kill switch until nothing rests, on a healthy exchange and with 30 % failing requests; and from an oracle
// that becomes stale until its market has no quote. Measured at the exchange.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type AimedFigure, type Bench, median } from "./measure.ts";
import {
  BLOCK_MS,
  control,
  type Daemon,
  startDaemon,
  startRecoveryScene,
  untilNothingRests,
  untilQuoting,
} from "./recovery-scene.ts";
import { endScene, type Scene } from "./scene.ts";

const RECOVERY_GOAL_MS = 3000;
const KILL_SWITCH_GOAL_MS = 1000;
const FAILING_KILL_SWITCH_GOAL_MS = 30_000;
const STALE_GOAL_MS = 1000 + BLOCK_MS;

export const recovery: Bench = {
  name: "recovery",
  async run({ quick }) {
    const runs = quick ? 1 : 5;
    const scene = await startRecoveryScene();
    try {
      const recovered = await killed(scene, runs);
      const stale = await gone(scene, recovered.daemon, runs);
      const healthy = await halted(scene, runs, 0, recovered.daemon);
      const failing = await halted(scene, runs, 0.3);
      const value = median(recovered.tookMs);
      return {
        name: "recovery",
        value,
        unit: "ms",
        reference: "the goal",
        referenceValue: RECOVERY_GOAL_MS,
        ratio: RECOVERY_GOAL_MS / value,
        goals: [
          within("killSwitchMs", median(healthy), KILL_SWITCH_GOAL_MS),
          within("killSwitchFailingMsMax", Math.max(...failing), FAILING_KILL_SWITCH_GOAL_MS),
          within("staleToGoneMs", median(stale), STALE_GOAL_MS),
        ],
        beside: { recoveryMsMax: Math.max(...recovered.tookMs) },
      };
    } finally {
      await endScene(scene);
    }
  },
};

const within = (figure: string, value: number, goal: number): AimedFigure => ({
  figure,
  value,
  unit: "ms",
  goal,
  wanted: "atMost",
});

/** From kill -9 to quoting again; the last run keeps running. */
async function killed(
  scene: Scene,
  runs: number,
): Promise<{ readonly daemon: Daemon; readonly tookMs: readonly number[] }> {
  const tookMs: number[] = [];
  let daemon = await startDaemon(scene);
  for (let run = 0; run < runs; run += 1) {
    const startedMs = performance.now();
    await daemon.process.end("SIGKILL");
    daemon = await startDaemon(scene);
    tookMs.push(performance.now() - startedMs);
  }
  return { daemon, tookMs };
}

/** From market 1's oracle becoming stale until the exchange has no quote of it. */
async function gone(scene: Scene, daemon: Daemon, runs: number): Promise<readonly number[]> {
  const tookMs: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const startedMs = performance.now();
    await control(scene, "PATCH", "/oracle/1", { status: "Stale" });
    await untilNothingRests(scene, 1);
    tookMs.push(performance.now() - startedMs);
    await control(scene, "PATCH", "/oracle/1", { status: "Active" });
    await untilQuoting(scene, daemon);
  }
  return tookMs;
}

/** From the operator's halt until nothing rests; the first run uses `running`. A halt persists, so each other run has its own ledger. */
async function halted(scene: Scene, runs: number, failing: number, running?: Daemon): Promise<readonly number[]> {
  const tookMs: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const { process, url } = run === 0 && running !== undefined ? running : await startFresh(scene);
    if (failing > 0) await failRequests(scene, failing);
    const token = readFileSync(join(scene.folder, "admin.token"), "utf8").trim();
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const startedMs = performance.now();
    const answer = await fetch(`${url}/halt`, { method: "POST", headers, body: '{"reason":"bench"}' });
    if (!answer.ok) throw new Error(`the daemon does not halt: ${answer.status} ${await answer.text()}`);
    await untilNothingRests(scene, null);
    tookMs.push(performance.now() - startedMs);
    await control(scene, "DELETE", "/faults", null);
    await process.end("SIGKILL");
  }
  return tookMs;
}

function startFresh(scene: Scene): Promise<Daemon> {
  for (const ending of ["", "-wal", "-shm"]) rmSync(join(scene.folder, `quoin.sqlite${ending}`), { force: true });
  return startDaemon(scene);
}

/** In equal parts: not received, executed without an answer, and 503. */
async function failRequests(scene: Scene, share: number): Promise<void> {
  const probability = 1 - (1 - share) ** (1 / 3);
  for (const fault of [{ kind: "dropBefore" }, { kind: "dropAfter" }, { kind: "status", status: 503 }]) {
    await control(scene, "POST", "/faults", { ...fault, probability });
  }
}
