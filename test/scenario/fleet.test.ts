// A fleet of two nodes and two accounts, on a real PostgreSQL and real sockets: who quotes what, and what becomes of it when a node is
// killed, stopped or drained, and when the fleet is halted.

import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ShardLine } from "../../src/bot/fleet/shards.ts";
import { hasBrowser } from "../support/browser.ts";
import { ask } from "../support/postgres.ts";
import { endAll, quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { withPostgres } from "../support/with-postgres.ts";
import { processOf } from "./daemon.ts";
import { openFleetPage } from "./fleet-page.ts";
import {
  allQuoted,
  type FleetNodeProcess,
  type FleetNodeRun,
  type FleetScene,
  fleetCommand,
  heldBy,
  landLate,
  linesOf,
  ordersOf,
  PASSWORD,
  removeFleetScene,
  startDuplicate,
  startFleetScene,
  startNode,
  startNodeProcess,
  startWithKeysOf,
  twoNodes,
} from "./fleet-scene.ts";

const { accounts: ACCOUNTS, leaseMs: LEASE_MS } = twoNodes;

withPostgres("a fleet", () => {
  let scene: FleetScene;
  let [a, b]: (FleetNodeRun | undefined)[] = [];
  const nodes: FleetNodeRun[] = [];
  const started = async (name: "a" | "b"): Promise<FleetNodeRun> => {
    const node = await startNode(scene, name);
    nodes.push(node);
    return node;
  };
  /** It is killed in a later test. */
  const startedApart = async (name: "a" | "b"): Promise<FleetNodeProcess> => {
    const node = await startNodeProcess(scene, name);
    nodes.push(node);
    return node;
  };
  const kill = ({ process }: FleetNodeRun): Promise<number | null> => processOf(process).end("SIGKILL");

  beforeAll(async () => {
    scene = await startFleetScene();
  });
  afterAll(async () => {
    await endAll();
    if (scene !== undefined) await removeFleetScene(scene);
  });

  const holdings = async (): Promise<readonly (readonly string[])[]> =>
    Promise.all([a, b].map((node) => (node === undefined ? [] : heldBy(node))));

  /** How often the fleet was halted or resumed. */
  const ordersGiven = async (): Promise<number> =>
    Number((await ask(scene.databaseUrl, "select orders from quoin.fleet"))[0]?.orders);

  const epochsOf = async (accounts: readonly string[]): Promise<readonly number[]> =>
    (await linesOf(scene)).filter(({ shard }) => accounts.includes(shard)).map(({ epoch }) => epoch);

  it("a database without the schema is refused in one line", async () => {
    const node = await fleetCommand(scene, "run");
    expect(node.code).toBe(1);
    expect(node.stderr).toBe(
      "quoin: the fleet's database: the database has no schema of this version; run npx quoin fleet init --config FILE first\n",
    );
  });

  it("a single daemon does not quote what a fleet may", async () => {
    const daemon = await quoinDone(["run", "--config", scene.configOf("a")]);
    expect(daemon.code).toBe(2);
    expect(daemon.stderr).toContain("start this one with npx quoin fleet run --config ");
  });

  it("two nodes quote each account once", async () => {
    expect((await fleetCommand(scene, "init")).code).toBe(0);
    a = await startedApart("a");
    b = await started("b");
    await allQuoted(scene);
    expect((await holdings()).flat().toSorted()).toEqual([...ACCOUNTS]);
    const lines = await until("both shown as quoting", async () => {
      const shown = await linesOf(scene);
      return shown.every(({ state }) => state === "quoting") && shown;
    });
    expect(lines.map(({ shard }) => shard)).toEqual([...ACCOUNTS]);
    const { stdout } = await fleetCommand(scene, "status", "--json");
    const shown = stdout
      .trimEnd()
      .split("\n")
      .map((row) => JSON.parse(row) as ShardLine);
    expect(shown.map(({ sinceMs: _, leaseMs, ...line }) => ({ ...line, isLeased: leaseMs > 0 }))).toEqual(
      lines.map(({ shard, node, epoch }) => ({ shard, node, epoch, state: "quoting", isLeased: true })),
    );
  });

  // chromium comes with the system, not with npm: .ci/run installs it, and elsewhere this is skipped.
  it.skipIf(!hasBrowser)(
    "the page of a node shows the fleet, and each of its accounts as a daemon's page does",
    async () => {
      const [ofA, ofB] = await holdings();
      const [account, url] = ofA?.[0] === undefined ? [ofB?.[0], b?.url] : [ofA[0], a?.url];
      const shown = await openFleetPage(url ?? "");
      await shown.seen("all quoted", /✓ 2 of 2 accounts quoted/);
      await shown.seen("both nodes, alive", /\ba\s+✓ alive[\s\S]*\bb\s+✓ alive/);
      await shown.seen("what is left of a lease", /✓ quoting\s+[ab]\s+\d+ s\s+[0-3]\.\d s/);
      await shown.seen("takeovers", /account 12: [ab] took it, which nobody held \(epoch 1\)/);
      expect(await shown.faults()).toEqual([]);
      await shown.offers("Halt the fleet");
      await shown.press("Halt the fleet", { reason: "a look at the page", token: "a-wrong-token" });
      await shown.answered(/^Refused: the token is wrong/);
      expect(await shown.faults()).toEqual([]);
      await shown.dismiss();
      expect(await ordersGiven(), "nothing was halted").toBe(0);
      const node = url === a?.url ? "a" : "b";
      const token = (await quoinDone(["token", "--config", scene.configOf(node)])).stdout.trim();
      await shown.press("Halt the fleet", { reason: "a look at the page", token });
      await shown.answered(/^Done\.$/);
      await shown.seen("the halt", /the fleet is halted since \d+ s: a look at the page/);
      await shown.seen("its halts", /✗ halted[^\n]*operator: a look at the page/);
      expect(await shown.title()).toBe("Quoin fleet: look");
      await shown.offers("Resume the fleet");
      await shown.press("Resume the fleet", { reason: "looked" });
      await shown.seen("all quoted", /✓ 2 of 2 accounts quoted/);
      await until("both in the ledger", async () => {
        const told = `select record from quoin.records where record ~ 'POST /fleet/(halt|resume)'`;
        const calls = (await ask(scene.databaseUrl, told)).map(({ record }) => String(record));
        const entry = (call: string, reason: string) =>
          calls.some((text) => text.includes(`POST /fleet/${call}`) && text.includes(reason));
        return entry("halt", "a look at the page") && entry("resume", "looked");
      });
      await shown.open(`account?account=${account}`);
      await shown.seen("the account", new RegExp(`Account ${account}[\\s\\S]*equity`));
      await shown.seen("the way back", /← fleet/);
      expect(shown.errors).toEqual([]);
      await shown.close();
    },
  );

  it("a second node with the same name is refused", async () => {
    const duplicate = startDuplicate(scene, "a");
    expect(await duplicate.exit).toBe(1);
    expect(duplicate.stderr()).toContain("another node with the name a runs; nothing was sent");
  });

  it("a node with another's keys is refused, and what it asked for is undone", async () => {
    const other = startWithKeysOf(scene, "a", "c");
    expect([await other.exit, other.stderr()]).toEqual([
      1,
      "quoin: the fleet's database: node a signs with the key of account 12; make a key for this node alone (npx quoin keygen --out FILE) and let the owner approve it, or stop node a; nothing was sent\n",
    ]);
    expect(await ask(scene.databaseUrl, "select from quoin.nodes where node = 'c' and seen_until > now()")).toEqual([]);
    expect(await ask(scene.databaseUrl, "select from quoin.takeovers where node = 'c'")).toEqual([]);
  });

  it("a halt reaches every account, and a resume; without the token a node's HTTP orders neither", async () => {
    const before = await ordersGiven();
    for (const verb of ["halt", "resume"]) {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ reason: "a test" });
      expect((await fetch(`${a?.url}/fleet/${verb}`, { method: "POST", headers, body })).status).toBe(401);
    }
    expect(await ordersGiven()).toBe(before);
    expect((await fleetCommand(scene, "halt", "--reason", "a test")).code).toBe(0);
    await until("no order rests", async () => {
      const counts = await Promise.all(ACCOUNTS.map((account) => ordersOf(scene, account)));
      return counts.every((count) => count === 0);
    });
    await until("halted", async () => (await linesOf(scene)).every(({ state }) => state === "halted"));
    expect((await fleetCommand(scene, "resume", "--reason", "a test")).code).toBe(0);
    await allQuoted(scene);
  });

  it("what a killed node held is quoted again by the other, and what it sent can no longer land", async () => {
    const before = a === undefined ? [] : await heldBy(a);
    const epochs = await epochsOf(before);
    expect(before.length).toBeGreaterThan(0);
    const [killedMs, sentMs] = [performance.now(), Date.now()];
    if (a !== undefined) await kill(a);
    await until("the heir holds both", async () => b !== undefined && (await heldBy(b)).length === ACCOUNTS.length);
    await until("both at work", async () => (await linesOf(scene)).every(({ state }) => state === "quoting"));
    await allQuoted(scene);
    console.log(`quoted again ${Math.round(performance.now() - killedMs)} ms after the kill, lease 3000 ms`);
    const taken = await epochsOf(before);
    expect(taken.every((epoch, at) => epoch > (epochs[at] ?? 0))).toBe(true);
    for (const account of before) expect(await landLate(scene, { node: "a", account, atMs: sentMs })).toMatch(/nonce/);
    [a, b] = [b, undefined];
  });

  it("a node that comes back gets what another is drained of, canceled and confirmed first", async () => {
    b = await startedApart("a");
    expect(await fleetCommand(scene, "drain", "--node", "b")).toMatchObject({ code: 0 });
    await until("the other holds both", async () => b !== undefined && (await heldBy(b)).length === ACCOUNTS.length);
    await allQuoted(scene);
    expect(await a?.process.end("SIGTERM")).toBe(0);
  });

  it("an account that is halted stays halted across a takeover, until it is resumed", async () => {
    await fleetCommand(scene, "halt", "--reason", "a test");
    await until("halted", async () => (await linesOf(scene)).every(({ state }) => state === "halted"));
    const epochs = await epochsOf(ACCOUNTS);
    if (b !== undefined) await kill(b);
    a = await startedApart("b");
    await until("halted by another epoch", async () =>
      (await linesOf(scene)).every(({ state, epoch }, at) => state === "halted" && epoch > (epochs[at] ?? 0)),
    );
    expect(await Promise.all(ACCOUNTS.map((account) => ordersOf(scene, account)))).toEqual([0, 0]);
    await fleetCommand(scene, "resume", "--reason", "a test");
    await allQuoted(scene);
  });

  it("without the dead node's keys, what it sent lands, is canceled, and halts nothing", async () => {
    const heir = await started("a");
    const sentMs = Date.now();
    if (a !== undefined) await kill(a);
    a = heir;
    await until("the heir holds both", async () => (await heldBy(heir)).length === ACCOUNTS.length);
    // What the dead node left resting looks like quotes until the heir has cleared it.
    await until("both at work", async () => (await linesOf(scene)).every(({ state }) => state === "quoting"));
    await allQuoted(scene);
    // A node that starts again goes on behind the nonces that its earlier run reserved, so that they may lie ahead of its clock.
    const late = { node: "b", atMs: sentMs, nonceMs: sentMs + 60_000 };
    for (const account of ACCOUNTS) expect(await landLate(scene, { ...late, account })).toBe("success");
    await heir.process.seen("both orders", (text) => text.split("fleet.lateOrder").length === 3);
    await allQuoted(scene);
    expect((await linesOf(scene)).map(({ state }) => state)).toEqual(["quoting", "quoting"]);
  });

  it("a node that is stopped leaves nothing resting", async () => {
    expect(await a?.process.end("SIGTERM")).toBe(0);
    expect(await Promise.all(ACCOUNTS.map((account) => ordersOf(scene, account)))).toEqual([0, 0]);
    expect((await linesOf(scene)).map(({ state, node }) => ({ state, node }))).toEqual([
      { state: "free", node: null },
      { state: "free", node: null },
    ]);
  });

  it("the keys of a node that has ended are free: one of another name starts with them", async () => {
    const heir = startWithKeysOf(scene, "a", "c");
    await allQuoted(scene);
    expect(await heir.end("SIGTERM")).toBe(0);
  });

  it("quotes outlive the database until the lease is unconfirmed, go before it can have ended, and come back", async () => {
    a = await started("a");
    await allQuoted(scene);
    const sinceMs = performance.now();
    scene.postgres.pause();
    await until("no order rests", async () => {
      const counts = await Promise.all(ACCOUNTS.map((account) => ordersOf(scene, account)));
      return counts.every((count) => count === 0);
    });
    const afterMs = performance.now() - sinceMs;
    console.log(`canceled ${Math.round(afterMs)} ms after the database stood still, lease ${LEASE_MS} ms`);
    // The last renewal may have been asked a round, a twelfth of the lease, before.
    expect(afterMs).toBeGreaterThan((3 / 4 - 1 / 12) * LEASE_MS - 100);
    await a.process.seen(
      "the end of both leases",
      (text) => text.split("the lease was not renewed in time").length === 3,
    );
    scene.postgres.goOn();
    await allQuoted(scene);
    expect(a.process.isOver()).toBe(false);
  });

  it("every account on every node decided as its recording says, over kills, drains, halts and takeovers", async () => {
    expect(await a?.process.end("SIGTERM")).toBe(0);
    for (const node of ["a", "b", "c"])
      for (const account of ACCOUNTS) {
        const { code, stdout, stderr } = await quoinDone([
          "replay",
          join(scene.folder, node, "recordings", account),
          "--json",
        ]);
        expect([node, account, stderr, code]).toEqual([node, account, "", 0]);
        expect(JSON.parse(stdout)).toMatchObject({ kind: "replay", identical: true });
      }
  });

  it("no log holds the password of the database, not even after its end", () => {
    for (const node of nodes) expect(node.process.stdout() + node.process.stderr()).not.toContain(PASSWORD);
    expect(a?.process.stdout()).toContain('"event":"fleet.unreachable"');
  });
});
