// A fleet of two nodes and two accounts, on a real PostgreSQL and real sockets: who quotes what, and what becomes of it when a node is
// killed, stopped or drained, and when the fleet is halted.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noPostgres } from "../support/postgres.ts";
import { endAll } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import {
  ACCOUNTS,
  allQuoted,
  type FleetNodeRun,
  type FleetScene,
  fleetCommand,
  heldBy,
  linesOf,
  ordersOf,
  removeFleetScene,
  startFleetScene,
  startNode,
  startTwin,
} from "./fleet-scene.ts";

if (noPostgres !== undefined) console.log(`skipped: ${noPostgres}`);

describe.skipIf(noPostgres !== undefined)("a fleet", () => {
  let scene: FleetScene;
  let [a, b]: (FleetNodeRun | undefined)[] = [];

  beforeAll(async () => {
    scene = await startFleetScene();
  });
  afterAll(async () => {
    await endAll();
    if (scene !== undefined) await removeFleetScene(scene);
  });

  const holdings = async (): Promise<readonly (readonly string[])[]> =>
    Promise.all([a, b].map((node) => (node === undefined ? [] : heldBy(node))));

  it("a database without the schema is refused in one line", async () => {
    const node = await fleetCommand(scene, "run");
    expect(node.code).toBe(1);
    expect(node.stderr).toBe(
      "quoin: the fleet's database: the database has no schema of this version; run quoin fleet init first\n",
    );
  });

  it("two nodes quote each account once", async () => {
    expect((await fleetCommand(scene, "init")).code).toBe(0);
    a = await startNode(scene, "a");
    b = await startNode(scene, "b");
    await allQuoted(scene);
    expect((await holdings()).flat().toSorted()).toEqual([...ACCOUNTS]);
    const lines = await until("both shown as quoting", async () => {
      const shown = await linesOf(scene);
      return shown.every(({ state }) => state === "quoting") && shown;
    });
    expect(lines.map(({ shard, epoch }) => ({ shard, epoch }))).toEqual([
      { shard: "12", epoch: 1 },
      { shard: "13", epoch: 1 },
    ]);
    for (const { leaseMs } of lines) expect(leaseMs).toBeGreaterThan(0);
  });

  it("a second node with the same name is refused", async () => {
    const twin = startTwin(scene, "a");
    expect(await twin.exit).toBe(1);
    expect(twin.stderr()).toContain("another node with the name a runs; nothing was sent");
  });

  it("a halt reaches every account, and a resume", async () => {
    expect((await fleetCommand(scene, "halt", "--reason", "a test")).code).toBe(0);
    await until("no order rests", async () => {
      const counts = await Promise.all(ACCOUNTS.map((account) => ordersOf(scene, account)));
      return counts.every((count) => count === 0);
    });
    await until("halted", async () => (await linesOf(scene)).every(({ state }) => state === "halted"));
    expect((await fleetCommand(scene, "resume", "--reason", "a test")).code).toBe(0);
    await allQuoted(scene);
  });

  it("what a killed node held is quoted again by the other", async () => {
    const [victim, heir] = (await holdings())[0]?.length === 0 ? [b, a] : [a, b];
    const before = victim === undefined ? [] : await heldBy(victim);
    expect(before.length).toBeGreaterThan(0);
    const killedMs = performance.now();
    await victim?.process.end("SIGKILL");
    await until(
      "the heir holds both",
      async () => heir !== undefined && (await heldBy(heir)).length === ACCOUNTS.length,
    );
    await until("a new epoch quotes", async () => (await linesOf(scene)).every(({ state }) => state === "quoting"));
    await allQuoted(scene);
    console.log(`quoted again ${Math.round(performance.now() - killedMs)} ms after the kill, lease 2000 ms`);
    const lines = (await linesOf(scene)).filter(({ shard }) => before.includes(shard));
    expect(lines.every(({ epoch }) => epoch === 2)).toBe(true);
    if (victim === a) [a, b] = [undefined, heir];
    else [a, b] = [heir, undefined];
  });

  it("a node that is stopped leaves nothing resting", async () => {
    const last = a ?? b;
    expect(await last?.process.end("SIGTERM")).toBe(0);
    expect(await Promise.all(ACCOUNTS.map((account) => ordersOf(scene, account)))).toEqual([0, 0]);
    expect((await linesOf(scene)).map(({ state, node }) => ({ state, node }))).toEqual([
      { state: "free", node: null },
      { state: "free", node: null },
    ]);
  });
});
