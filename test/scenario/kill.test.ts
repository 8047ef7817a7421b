// kill -9 of the real daemon while it starts, recovers and trades, on real sockets and a real disk: whatever the moment, the next
// life quotes again, and in the end the ledger and the exchange tell the same story.

import { afterEach, expect, it } from "vitest";
import { endAll } from "../support/quoin.ts";
import { removeScene, type Scene } from "./daemon.ts";
import { judge } from "./judge.ts";
import { killAgainAndAgain, startBusyScene } from "./kill-run.ts";

let scene: Scene;

afterEach(async () => {
  await endAll();
  removeScene(scene);
});

it("a daemon that is killed again and again loses nothing, doubles nothing, and leaves nothing behind", async () => {
  // The hundred public trades, all that tells of fills while nobody listens, must reach back over the restarts of a loaded machine.
  scene = await startBusyScene({ takersPerSec: 4 });
  const { last } = await killAgainAndAgain(scene, { kills: 6, seed: 11n });
  expect(await last.process.end("SIGTERM")).toBe(0);
  const { faults, fillCount, intentCount } = await judge(scene);
  expect(faults).toEqual([]);
  expect([fillCount > 0, intentCount > 0], "something happened").toEqual([true, true]);
});
