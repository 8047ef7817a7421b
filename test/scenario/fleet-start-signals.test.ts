// A node of a fleet is told to halt before it holds an account: what it takes begins halted.

import { afterAll, beforeAll, expect, it } from "vitest";
import { endAll, quoin } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { withPostgres } from "../support/with-postgres.ts";
import {
  allQuoted,
  type FleetScene,
  fleetCommand,
  linesOf,
  ordersOf,
  removeFleetScene,
  startFleetScene,
} from "./fleet-scene.ts";

withPostgres("SIGUSR2 as a node starts", () => {
  let scene: FleetScene;
  beforeAll(async () => {
    scene = await startFleetScene();
    expect((await fleetCommand(scene, "init")).code).toBe(0);
  });
  afterAll(async () => {
    await endAll();
    if (scene !== undefined) await removeFleetScene(scene);
  });

  it("each account that it takes is halted, once: the fleet's resume has it quoted", async () => {
    const node = quoin(["fleet", "run", "--config", scene.configOf("a")]);
    node.signal("SIGUSR2");
    node.signal("SIGHUP");
    const states = async () => (await linesOf(scene)).map(({ state }) => state);
    await until("both halted", async () => `${await states()}` === "halted,halted");
    expect(await Promise.all(scene.accounts.map((account) => ordersOf(scene, account)))).toEqual([0, 0]);
    expect(node.stdout()).toContain("reload.refused");
    expect((await fleetCommand(scene, "resume", "--reason", "a test")).code).toBe(0);
    await allQuoted(scene);
    expect(await node.end("SIGTERM")).toBe(0);
  });
});
