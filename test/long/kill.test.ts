// Many kills of the real daemon: `KILLS=500 npm run test:long`. The ledger is judged at the end of each stretch, after a stop that an
// operator would make, and the next stretch goes on with it.

import { afterEach, expect, it } from "vitest";
import { endScenes } from "../scenario/daemon.ts";
import { judge } from "../scenario/judge.ts";
import { killAgainAndAgain, startBusyScene } from "../scenario/kill-run.ts";

const KILLS = Number(process.env.KILLS ?? 500);
const SEED = BigInt(process.env.SEED ?? 1);
const STRETCH = 20;

afterEach(endScenes);

it(`${KILLS} kills: no fill lost or doubled, no order orphaned, no nonce used twice`, async () => {
  const scene = await startBusyScene({ takersPerSec: 3 });
  const recoveriesMs: number[] = [];
  let [fills, unnamed] = [0, 0];
  for (let done = 0; done < KILLS; done += STRETCH) {
    const kills = Math.min(STRETCH, KILLS - done);
    const stretch = await killAgainAndAgain(scene, { kills, seed: SEED + BigInt(done) });
    recoveriesMs.push(...stretch.recoveriesMs);
    expect(await stretch.last.process.end("SIGTERM"), `the stop after ${done + kills} kills`).toBe(0);
    const { faults, fillCount, unnamedCount } = await judge(scene);
    expect(faults, `after ${done + kills} kills`).toEqual([]);
    [fills, unnamed] = [fillCount, unnamedCount];
  }
  const sorted = recoveriesMs.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  console.log(
    `${KILLS} kills, ${fills} fills, ${unnamed} of them of orders that nobody could name; start to quoting: median ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`,
  );
  expect(fills).toBeGreaterThan(KILLS);
  expect(unnamed / fills, "such orders are rare").toBeLessThan(0.01);
});
