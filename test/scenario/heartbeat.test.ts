// The heartbeat of a real daemon, which the watchdog goes by: it is made by turns, not by being asked for.

import { beforeAll, expect, it } from "vitest";
import type { Heartbeat } from "../../src/bot/service/watchdog/heartbeat.ts";
import { until } from "../support/until.ts";
import { startDaemon } from "./daemon.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();
let url: string;

beforeAll(async () => {
  ({ url } = await startDaemon(scene));
});

/** The loop goes round ten times a second. */
const TURN_MS = 100;
const ASKED = 100;

const beat = async () => (await (await fetch(`${url}/heartbeat`)).json()) as Heartbeat;

it("beats with the turns, however often it is asked for", async () => {
  const first = await until("trading", async () => {
    const heard = await beat();
    return heard.phase === "trading" && heard;
  });
  await until("a turn", async () => (await beat()).turns > first.turns);
  const before = await beat();
  const beganMs = performance.now();
  let last = before;
  for (let asked = 0; asked < ASKED; asked += 1) last = await beat();
  const turnsOfThen = (performance.now() - beganMs) / TURN_MS;
  expect(last.turns - before.turns).toBeLessThan(turnsOfThen + ASKED / 2);
});
