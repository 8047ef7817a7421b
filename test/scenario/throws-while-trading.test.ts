// Whatever throws between a bot's first order and its end stops it: its orders are canceled, the exchange confirms it, exit 1.

import { join } from "node:path";
import { expect, it } from "vitest";
import { quoinProcess } from "../support/quoin.ts";
import { openOrdersOf } from "./daemon.ts";
import type { FaultOfMachine } from "./faulty-run.ts";
import { resting } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();

const runWith = (fault: FaultOfMachine) =>
  quoinProcess([fault, scene.botConfig], { starter: join(import.meta.dirname, "faulty-run.ts") });

it.each<readonly [string, FaultOfMachine]>([
  ["in the start, with orders sent", "start"],
  ["at the word to the supervisor", "supervisor"],
  ["at the summary on a terminal", "summary"],
])("%s", async (_, fault) => {
  const daemon = runWith(fault);
  expect(await daemon.exit).toBe(1);
  expect(daemon.stdout() + daemon.stderr()).toContain("thrown by the test");
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
});

it.each<readonly [string, FaultOfMachine]>([
  ["in the stop, before the bot stops", "unwatch"],
  ["in the stop, when the bot has canceled", "canceled"],
  ["in the stop, when all is done", "stopped"],
])("%s", async (_, fault) => {
  const daemon = runWith(fault);
  await resting(scene, 4);
  expect(await daemon.end("SIGTERM")).toBe(1);
  expect(daemon.stdout()).toContain("thrown by the test");
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
});
