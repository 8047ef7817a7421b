// kill -9 of the real daemon while it starts, recovers and trades, on real sockets and a real disk: whatever the moment, the next
// life quotes again, and in the end the ledger and the exchange tell the same story.

import { afterEach, expect, it } from "vitest";
import { endScenes } from "./daemon.ts";
import { judge } from "./judge.ts";
import { killAgainAndAgain, startBusyScene } from "./kill-run.ts";

afterEach(endScenes);

it("a daemon that is killed again and again loses nothing, doubles nothing, and leaves nothing behind", async () => {
  // The hundred public trades, all that tells of fills while nobody listens, must reach back over the restarts of a loaded machine.
  const scene = await startBusyScene({ takersPerSec: 4 });
  const { last } = await killAgainAndAgain(scene, { kills: 6, seed: 11n });
  expect(await last.process.end("SIGTERM")).toBe(0);
  const { faults, fillCount, intentCount } = await judge(scene);
  expect(faults).toEqual([]);
  expect([fillCount > 0, intentCount > 0], "something happened").toEqual([true, true]);
});
