// A node whose clock is wrong cannot quote: its accounts go to a node that can, and come back no sooner than a minute later.

import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { ask } from "../support/postgres.ts";
import { endAll } from "../support/quoin.ts";
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
  startNode,
  twoNodes,
} from "./fleet-scene.ts";

const AHEAD_MS = 600_000;
/** More than the gate allows, and less than would end a lease. */
const STEP_MS = 4000;
const LEASE_MS = 30_000;
/** From the moment at which a node can no longer quote. */
const GIVEN_UP_MS = 10_000;

/** The wall clock of one machine. */
const machine = (aheadMs: number) => {
  const at = { aheadMs };
  return { at, clock: { ...systemClock, wallMs: () => systemClock.wallMs() + at.aheadMs } };
};

withPostgres("a node whose clock is wrong", () => {
  let scene: FleetScene;
  const [a, b] = [machine(AHEAD_MS), machine(0)];
  const holders = async () => (await linesOf(scene)).map(({ node, state }) => `${node} ${state}`).join(", ");
  const unable = async () =>
    (await ask(scene.databaseUrl, "select node, unable from quoin.nodes order by node")).map(({ unable: why }) => why);

  beforeAll(async () => {
    scene = await startFleetScene({ ...twoNodes, leaseMs: LEASE_MS });
    expect((await fleetCommand(scene, "init")).code).toBe(0);
  });
  afterAll(async () => {
    await endAll();
    if (scene !== undefined) await removeFleetScene(scene);
  });

  it("keeps its accounts, unquoted, while no other node could quote them, and says why", async () => {
    const { process } = await startNode(scene, "a", a.clock);
    await until("both are taken", async () => (await holders()) === "a quoting, a quoting");
    await process.seen("why", (text) => text.includes("fleet.unable") && text.includes("this node cannot quote"));
    expect(await Promise.all(scene.accounts.map((account) => ordersOf(scene, account)))).toEqual([0, 0]);
    expect((await fleetCommand(scene, "status")).stdout).toMatch(
      /node a cannot quote: its clock is 600\.\d s ahead of the chain's/,
    );
  });

  it("gives them up within ten seconds to a node that could", async () => {
    await startNode(scene, "b", b.clock);
    await until("b could quote", async () => (await unable())[1] === null);
    const sinceMs = systemClock.monotonicMs();
    await until("both are given up", async () => !(await holders()).includes("a "));
    expect(systemClock.monotonicMs() - sinceMs).toBeLessThan(GIVEN_UP_MS);
    await allQuoted(scene);
    await until("both rows say so", async () => (await holders()) === "b quoting, b quoting");
  });

  it("an account moves between nodes at most once a minute", async () => {
    [a.at.aheadMs, b.at.aheadMs] = [0, STEP_MS];
    await until("a could quote and b could not", async () => {
      const [ofA, ofB] = await unable();
      return ofA === null && ofB !== null;
    });
    await until("b has nothing resting", async () =>
      (await Promise.all(scene.accounts.map((account) => ordersOf(scene, account)))).every((count) => count === 0),
    );
    await ask(scene.databaseUrl, "update quoin.shards set yielded_at = now() - interval '61 s' where account = '12'");
    await until("account 12 is quoted again", async () => (await ordersOf(scene, "12")) === 4);
    await until("the row says by whom", async () => (await holders()) === "a quoting, b quoting");
    expect(await ordersOf(scene, "13")).toBe(0);
  });
});
