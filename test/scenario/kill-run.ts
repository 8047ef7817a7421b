// Kills the real daemon, again and again, at moments that a seed decides: while it starts, recovers, quotes and trades. Each life
// begins on the ledger and the key that the one before left behind.

import { setTimeout as pause } from "node:timers/promises";
import { createPrng, type Prng } from "../../src/kernel/prng.ts";
import { quoinProcess, type RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { metricsOf, type Scene, startScene } from "./daemon.ts";
import { accountAt, inventoryIn } from "./exchange-record.ts";

/** A busy market: takers trade with our quotes, also while nobody watches them. */
export const startBusyScene = (options: { readonly takersPerSec: number; readonly limits?: string }): Promise<Scene> =>
  startScene({
    oracle:
      "{ source: synthetic, price: 216.94, printEverySecs: 5, validForSecs: 60, driftPercent: 0.005, volatilityPercent: 0.01, autocorrelation: 0.7 }",
    flow: `{ enabled: true, noiseTakersPerSec: ${options.takersPerSec}, informedShare: 0.1, makers: 1, takerSize: 0.2 }`,
    params: "{ halfSpreadBps: 1, size: 0.2, levels: 2, stepBps: 1, skewBps: 1 }",
    limits: `maxPosition: 50, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 50000, maxFillsPerMinute: 100000${options.limits ?? ""}`,
  });

export type Life = { readonly process: RunningProcess; readonly url: string; readonly recoveryMs: number };

/** Starts the daemon; resolves when it is reconciled, holds the exchange's position for its own, and has quotes there. */
export async function startLife(scene: Scene): Promise<Life> {
  const startedMs = performance.now();
  const process = quoinProcess(["run", "--config", scene.botConfig]);
  const url = await process.seen("the daemon's address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
  await until("reconciled and quoting", () => isQuoting(scene, url));
  return { process, url, recoveryMs: performance.now() - startedMs };
}

/** Ready by its own word, quotes at the exchange, and nothing traded between two looks at a position that it knows. */
export async function isQuoting(scene: Scene, url: string): Promise<boolean> {
  const ready = await fetch(`${url}/readyz`);
  if (ready.status !== 200) return false;
  const before = await accountAt(scene);
  const known = (await metricsOf(url)).get('quoin_position{account="12",market="1"}');
  const after = inventoryIn(await accountAt(scene));
  return before.openOrders.length > 0 && after === inventoryIn(before) && known === Number(after) / 1e6;
}

/** Share of the kills that fall into the start; the rest come after the first quotes. */
const IN_START_SHARE = 0.3;
const START_MS = 1500;
const QUOTING_MS = 700;

/** Lives and kills; the last run is left running, and is in the result. */
export async function killAgainAndAgain(
  scene: Scene,
  options: { readonly kills: number; readonly seed: bigint },
): Promise<{ readonly last: Life; readonly recoveriesMs: readonly number[] }> {
  const prng = createPrng(options.seed);
  const recoveriesMs: number[] = [];
  for (let kill = 0; kill < options.kills; kill += 1) {
    if (prng.chance(IN_START_SHARE)) {
      await killInStart(scene, prng);
      continue;
    }
    const { process, recoveryMs } = await startLife(scene);
    if (kill > 0) recoveriesMs.push(recoveryMs);
    await pause(prng.below(QUOTING_MS));
    await process.end("SIGKILL");
  }
  const last = await startLife(scene);
  return { last, recoveriesMs: [...recoveriesMs, last.recoveryMs] };
}

async function killInStart(scene: Scene, prng: Prng): Promise<void> {
  const process = quoinProcess(["run", "--config", scene.botConfig]);
  await Promise.race([pause(prng.below(START_MS)), process.exit]);
  if (process.isOver()) {
    throw new Error(
      `the daemon ended with ${await process.exit} in its start:\n${process.stdout()}${process.stderr()}`,
    );
  }
  await process.end("SIGKILL");
}
