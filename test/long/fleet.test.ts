// A fleet's figures on real processes, real sockets and a real PostgreSQL: kills, drains, a node that stands still and wakes, and what the
// database has to do at rest. `KILLS=200 npx vitest run --mode long test/long/fleet.test.ts`.

import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import {
  allQuoted,
  type FleetNodeProcess,
  type FleetScene,
  type FleetShape,
  fleetCommand,
  linesOf,
  orderIdsOf,
  removeFleetScene,
  startFleetScene,
  startNodeProcess,
} from "../scenario/fleet-scene.ts";
import { ask } from "../support/postgres.ts";
import { endAll } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { withPostgres } from "../support/with-postgres.ts";

const KILLS = Number(process.env.KILLS ?? 5);
/** Of a machine that others use too. */
const timeout = 300_000 + KILLS * 60_000;
const DRAINS = Math.ceil(KILLS / 10);
const ACCOUNTS_AT_REST = Number(process.env.ACCOUNTS ?? 100);
const REST_SECS = 20;
const ORDERS = 4;
/** The exchange serves each look from the processor that everybody shares. */
const POLL_MS = 40;

const NODES = ["a", "b", "c"];
const accountsFrom = (first: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${first + at}`);
const threeNodes: FleetShape = {
  nodes: NODES,
  accounts: accountsFrom(12, 12),
  leaseMs: 5000,
  landingBoundMs: 90_000,
  fences: (node) => NODES.filter((other) => other !== node),
};

let scene: FleetScene;
let nodes: Map<string, FleetNodeProcess>;

afterEach(async () => {
  await endAll();
  if (scene !== undefined) await removeFleetScene(scene);
});

async function begin(shape: FleetShape): Promise<void> {
  scene = await startFleetScene(shape);
  expect((await fleetCommand(scene, "init")).code).toBe(0);
  nodes = new Map();
  const started = await Promise.all(shape.nodes.map((name) => startNodeProcess(scene, name)));
  for (const [at, node] of started.entries()) nodes.set(shape.nodes[at] ?? "", node);
  await allQuoted(scene);
}

/** The node that holds most, and what it holds. */
async function fullest(): Promise<{ readonly name: string; readonly accounts: readonly string[] }> {
  const lines = await linesOf(scene);
  const held = scene.nodes.map((name) => ({
    name,
    accounts: lines.filter(({ node }) => node === name).map(({ shard }) => shard),
  }));
  return held.toSorted((one, other) => other.accounts.length - one.accounts.length)[0] ?? { name: "", accounts: [] };
}

const nodeOf = (name: string): FleetNodeProcess => nodes.get(name) as FleetNodeProcess;

/** When each of these accounts last had an order of before, and when it had all of its next holder's; ms since `strike` was called. */
async function gapsAfter(
  accounts: readonly string[],
  strike: () => void,
): Promise<readonly { readonly goneMs: number; readonly backMs: number }[]> {
  const before = await Promise.all(accounts.map(async (account) => Math.max(...(await orderIdsOf(scene, account)))));
  const sinceMs = performance.now();
  strike();
  return Promise.all(
    accounts.map(async (account, at) => {
      let goneMs = 0;
      const backMs = await until(`quotes on account ${account}`, async () => {
        await pause(POLL_MS);
        const ids = await orderIdsOf(scene, account);
        const passedMs = performance.now() - sinceMs;
        if (ids.some((id) => id <= (before[at] ?? 0))) goneMs = passedMs;
        return ids.length === ORDERS && ids.every((id) => id > (before[at] ?? 0)) && passedMs;
      });
      return { goneMs, backMs };
    }),
  );
}

/** Prints the times and returns the ninety-ninth percentile, ms. */
function say(what: string, times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  console.log(`${what}, ${times.length} accounts: median ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`);
  return at(0.99);
}

const metricsOf = async ({ url }: FleetNodeProcess): Promise<string> => (await fetch(`${url}/metrics`)).text();

const allQuoting = async (): Promise<void> => {
  await until("every account quoting", async () => (await linesOf(scene)).every(({ state }) => state === "quoting"));
};

withPostgres("a fleet of three nodes and twelve accounts, lease 5 s", () => {
  it(`${KILLS} kills: every account is quoted again within 10 s, and nothing halts`, { timeout }, async () => {
    await begin(threeNodes);
    const times: number[] = [];
    let proven = 0;
    for (let done = 0; done < KILLS; done += 1) {
      const { name, accounts } = await fullest();
      const { process } = nodeOf(name);
      const gaps = await gapsAfter(accounts, () => process.child.kill("SIGKILL"));
      times.push(...gaps.map(({ backMs }) => backMs));
      await process.exit;
      proven += process.stdout().split("can still land").length - 1;
      nodes.set(name, await startNodeProcess(scene, name));
      await allQuoting();
    }
    console.log(`${proven} flush fences proven by the nodes that were killed later`);
    expect(say(`quoted again after ${KILLS} kills`, times)).toBeLessThan(10_000);
  });

  it(`${DRAINS} stops: no account is without quotes for 3 s`, async () => {
    await begin(threeNodes);
    const times: number[] = [];
    for (let done = 0; done < DRAINS; done += 1) {
      const { name, accounts } = await fullest();
      const { process } = nodeOf(name);
      const gaps = await gapsAfter(accounts, () => process.child.kill("SIGTERM"));
      times.push(...gaps.map(({ goneMs, backMs }) => backMs - goneMs));
      expect(await process.exit).toBe(0);
      nodes.set(name, await startNodeProcess(scene, name));
      await allQuoting();
    }
    expect(say(`without quotes in ${DRAINS} stops`, times)).toBeLessThan(3000);
  });

  it("a node that stood still while another took its accounts cancels none of their orders, and nothing halts", async () => {
    await begin(threeNodes);
    const { name, accounts } = await fullest();
    const node = nodeOf(name);
    const { child, seen } = node.process;
    await gapsAfter(accounts, () => child.kill("SIGSTOP"));
    await allQuoting();
    const before = await Promise.all(accounts.map((account) => orderIdsOf(scene, account)));
    child.kill("SIGCONT");
    await seen("the end of every lease", (text) => text.split("fleet.lost").length === accounts.length + 1);
    await until("the end of every account", async () => !(await metricsOf(node)).includes("quoin_open_orders{"));
    expect(await Promise.all(accounts.map((account) => orderIdsOf(scene, account)))).toEqual(before);
    expect((await linesOf(scene)).map(({ state }) => state)).toEqual(scene.accounts.map(() => "quoting"));
  });
});

withPostgres(`${ACCOUNTS_AT_REST} accounts on one database`, () => {
  it("take fewer than 200 transactions a second at rest", async () => {
    await begin({ ...threeNodes, accounts: accountsFrom(12, ACCOUNTS_AT_REST) });
    const transactions = async (): Promise<number> => {
      const [row] = await ask(
        scene.databaseUrl,
        "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()",
      );
      return Number(row?.count);
    };
    const before = await transactions();
    await pause(REST_SECS * 1000);
    const perSec = ((await transactions()) - before) / REST_SECS;
    console.log(`${ACCOUNTS_AT_REST} accounts at rest: ${perSec.toFixed(1)} transactions/s`);
    expect(perSec).toBeLessThan(200);
  });
});
