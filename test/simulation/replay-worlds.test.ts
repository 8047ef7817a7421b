// Under faults of network, disk, clock, exchange and process, too, every decision of a recorded run comes out again: restarts, resyncs,
// lost answers, halts, reloads and keys that change are all in the recording.

import { expect, test } from "vitest";
import { recordedIn } from "../../src/bot/recording/reader.ts";
import type { Recorder } from "../../src/bot/recording/recorder.ts";
import { replay } from "../../src/bot/service/replay/replay.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import { runWorld } from "../../src/sim/run.ts";
import { recorderInto } from "../support/recorder-into.ts";
import { scratchFolder } from "../support/scratch.ts";

const MINUTES = 3;

test.each([1n, 2n, 4n])("world %s", async (seed) => {
  const folder = scratchFolder("replay-world");
  const record = (clock: Clock): Recorder => recorderInto(folder, clock);
  const { violation } = await runWorld({ seed, minutes: MINUTES, swaps: { record } });
  expect(violation).toBeNull();
  const differences: unknown[] = [];
  const { turns } = await replay(recordedIn(folder), null, (difference) => differences.push(difference) < 1);
  expect(differences).toEqual([]);
  expect(turns).toBeGreaterThan(50);
});
