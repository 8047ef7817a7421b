// A replay takes recorded inputs and must come to what came of them then, decision by decision and output by output.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import type { QuotedAccount } from "../../../../../src/bot/config/config.ts";
import type { Output } from "../../../../../src/bot/decider/output.ts";
import { noted } from "../../../../../src/bot/live/kept-reads.ts";
import { recordInputs } from "../../../../../src/bot/live/recorded-inputs.ts";
import { type Entry, recordedAccount, recordedReadings, type Start } from "../../../../../src/bot/recording/entry.ts";
import { type Recorded, recordedIn } from "../../../../../src/bot/recording/reader.ts";
import { ReplayedRun } from "../../../../../src/bot/service/replay/recorded-run.ts";
import { type Difference, replay } from "../../../../../src/bot/service/replay/replay.ts";
import { loadStrategy, recordedStrategy } from "../../../../../src/bot/strategy/loader.ts";
import { nonce, size } from "../../../../../src/domain/units.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";
import { recorderInto } from "../../../../support/recorder-into.ts";
import { scratchFolder } from "../../../../support/scratch.ts";
import {
  AGENT,
  account as accountRead,
  book,
  CHAIN_OFFSET_MS,
  CONTRACT,
  executedWith,
  listed,
  lost,
  oracle,
  placeCommand,
  refused,
} from "../../scene.ts";
import { account, other, quotedAccount, quotedMarket, readyWorld, type Submit, World } from "../desks.ts";

const wider = await loadStrategy("fixed-spread", { halfSpreadBps: 50, size: 1 });
const running = [quotedAccount(account, [1, 2]), quotedAccount(other, [1])];

const OWN = `import { defineStrategy } from "quoin/strategy";
import { z } from "zod";
export const strategy = defineStrategy({
  name: "own",
  summary: "Throws.",
  params: z.strictObject({}),
  start: () => null,
  quote() {
    throw new Error("of the test");
  },
});
`;

let world: World;
beforeEach(() => {
  world = readyWorld([1, 2]);
  for (let tick = 0; tick < 3; tick += 1) {
    world.tick();
    world.land();
    world.tell({ kind: "book", book: book(199n - BigInt(tick), 201n) });
    world.tell({ kind: "oracleRead", oracle: oracle({ marketId: 2 }) });
  }
});

/** What the world has been told, as its recording reads back. */
async function recorded(): Promise<readonly Recorded[]> {
  const [first] = world.steps;
  if (first === undefined) throw new RangeError("the world was told something");
  const { readings } = first.input;
  const folder = scratchFolder("replay");
  const recorder = recorderInto(folder, createVirtualClock({ startMs: CHAIN_OFFSET_MS }));
  const start: Start = {
    ...{
      version: "0.1.0",
      chainId: "chain-2",
      readLagMaxMs: 3000,
      landingBoundMs: 90_000,
      seed: 1n,
      watchdogSilenceMs: 10_000,
    },
    instant: { monotonicMs: 0, wallMs: CHAIN_OFFSET_MS },
    readings: recordedReadings(readings),
    accounts: running.map(recordedAccount),
    publicKeys: [account, other].map((id) => [id, AGENT]),
    ...{ earlierHolders: [], ledgerLost: null, halt: null, kept: [] },
  };
  recorder.start(start);
  const record = recordInputs(recorder, readings);
  for (const { input, outputs } of world.steps) record(input, outputs);
  await recorder.close();
  return Array.from(recordedIn(join(folder, readdirSync(folder)[0] ?? "")));
}

async function replayed(recording: readonly Recorded[], accounts: readonly QuotedAccount[] | null = null) {
  const differences: Difference[] = [];
  const counts = await replay(recording, accounts, (difference) => {
    differences.push(difference);
    return true;
  });
  return { ...counts, differences };
}

/** Of the first entry that has what `of` looks for, `changed` in its place. */
function withChange(recording: readonly Recorded[], changed: (entry: Entry) => Entry | null): readonly Recorded[] {
  const at = recording.findIndex((line) => line.kind === "entry" && changed(line.entry) !== null);
  return recording.map((line, nth) => {
    const entry = line.kind === "entry" && nth === at ? changed(line.entry) : null;
    return entry === null ? line : { kind: "entry", entry };
  });
}

/** The answer to an order is lost, as was one of an earlier run: what became of it is found out, and what it may have changed is read and adopted. */
function resynced(): void {
  const isFence = ({ command }: Submit): boolean => command.kind === "cancelAll" && command.fences !== null;
  const command = placeCommand({ size: size(CONTRACT) });
  const as = { nonce: nonce(10_000n), signer: AGENT, timestampSec: CHAIN_OFFSET_MS / 1000, intentIds: [1] };
  world.driver.feed({ kind: "recovered", command, ...as });
  world.driver.feed({ kind: "start", lastOrderedMs: new Map() });
  for (let tick = 0; tick < 50; tick += 1) {
    world.answerReads();
    for (const wanted of world.taken("submit"))
      world.answer(wanted, wanted.command.kind === "place" ? lost : isFence(wanted) ? refused : executedWith());
    world.tick();
  }
}

/** What the machine told itself. */
const foldedIn = (outputs: readonly Output[]): readonly string[] =>
  outputs.flatMap((output) => (output.kind === "folded" ? output.event.kind : []));

test("a recording comes out again, and is counted", async () => {
  const sum = await replayed(await recorded());
  const outputs = world.steps.flatMap((step) => step.outputs);
  expect(sum).toMatchObject({ differences: [], differing: 0, isCut: false });
  expect(sum.turns).toBe(outputs.filter(({ kind }) => kind === "turned").length);
  expect(sum.events).toBe(world.steps.filter(({ input }) => input.kind === "event").length);
  expect(sum.commands).toBeGreaterThan(3);
});

describe("what configuration brings is loaded again, and what was read of the ledger is given again", () => {
  test("another strategy", async () => {
    const quoted = { ...quotedMarket(1), strategy: wider, hash: "wider" };
    world.driver.feed({ kind: "requote", accountId: account, quoted, goesOn: false });
    for (let tick = 0; tick < 3; tick += 1) world.tick();
    expect(world.market(1).last?.quotes.quotes[0]?.price).toBeLessThan(19_900_000_000n);
    expect((await replayed(await recorded())).differences).toEqual([]);
  });

  test("a market that comes, with what earlier runs left of it", async () => {
    const rows = [{ accountId: account, marketId: 3, state: "an earlier run's" }] as never;
    const kept = noted({ ...world.ledger.read, estimates: () => rows });
    world.driver.feed({ kind: "take", accountId: account, quoted: quotedMarket(3), kept });
    world.tick();
    expect(world.desk().markets.has(3)).toBe(true);
    const recording = await recorded();
    const entries = recording.flatMap((line) => (line.kind === "entry" ? line.entry : []));
    const given = entries.flatMap((entry) => (entry.kind === "take" ? entry.kept : []));
    expect(given).toContainEqual([expect.stringContaining("estimates"), rows]);
    expect((await replayed(recording)).differences).toEqual([]);
  });
});

test("a strategy that throws is recorded with its texts, and throws again", async () => {
  const folder = pathToFileURL(`${scratchFolder("own-strategy")}/`).href;
  const texts = { [new URL("own.ts", folder).href]: OWN };
  const strategy = await loadStrategy("own", {}, recordedStrategy(folder, texts));
  const quoted = { ...quotedMarket(1), strategy, hash: "own" };
  world.driver.feed({ kind: "requote", accountId: account, quoted, goesOn: false });
  world.tick();
  expect(world.market(1).last?.fault?.message).toContain("of the test");
  expect((await replayed(await recorded())).differences).toEqual([]);
});

test("a turn that throws is the same in a replay, whose stack is another", async () => {
  const folder = pathToFileURL(`${scratchFolder("own-strategy")}/`).href;
  const thrown = 'throw new Error("of the test");';
  const text = OWN.replace(thrown, `return { get quotes() { ${thrown} } };`);
  const strategy = await loadStrategy("own", {}, recordedStrategy(folder, { [new URL("own.ts", folder).href]: text }));
  const quoted = { ...quotedMarket(1), strategy, hash: "own" };
  world.driver.feed({ kind: "requote", accountId: account, quoted, goesOn: false });
  world.tick();
  expect(world.desk().latches).toMatchObject([{ kind: "fault", marketId: 1 }]);
  expect((await replayed(await recorded())).differences).toEqual([]);
});

describe("a difference is named by its entry and its place", () => {
  test("where something else than a decision came out otherwise", async () => {
    const recording = withChange(await recorded(), (entry) =>
      entry.digest === undefined ? null : { ...entry, digest: 1 },
    );
    const { differences } = await replayed(recording);
    const entry = world.steps.findIndex(({ outputs }) => outputs.some(({ kind }) => kind !== "turned")) + 1;
    expect(differences).toMatchObject([{ field: "outputs", recorded: 1, entry }]);
  });

  test("where a turn decided otherwise", async () => {
    const recording = withChange(await recorded(), (entry) =>
      entry.decided?.of === "turn" && entry.decided.turn !== null && entry.decided.marketId === 2
        ? { ...entry, decided: { ...entry.decided, turn: { ...entry.decided.turn, permitted: "nothing" } } }
        : null,
    );
    const { differences } = await replayed(recording);
    expect(differences).toMatchObject([
      { field: "permitted", accountId: account, marketId: 2, recorded: "nothing", replayed: "cancel" },
    ]);
  });

  test("where the machine told itself something else", async () => {
    resynced();
    const recording = withChange(await recorded(), (entry) =>
      entry.folded?.some(({ kind }) => kind === "adopted") ? { ...entry, folded: undefined } : null,
    );
    const { differences } = await replayed(recording);
    expect(differences).toMatchObject([{ field: "folded", recorded: undefined }]);
  });
});

describe("another configuration", () => {
  const [first] = running;
  const withStrategy = (marketId: number): readonly QuotedAccount[] =>
    running.map((quoted) =>
      quoted !== first
        ? quoted
        : {
            ...quoted,
            markets: quoted.markets.map((market) =>
              market.marketId === marketId ? { ...market, strategy: wider, hash: "wider" } : market,
            ),
          },
    );

  test("that is the recorded one decides the same in every turn: it hears all events", async () => {
    expect((await replayed(await recorded(), running)).differences).toEqual([]);
  });

  test("is told what the recorded machine told itself, and does nothing but turn", async () => {
    resynced();
    const told = world.steps.flatMap(({ outputs }) => foldedIn(outputs));
    expect(told).toEqual(expect.arrayContaining(["resolved", "adopted"]));
    const recording = await recorded();
    expect((await replayed(recording, running)).differences).toEqual([]);
    const [life] = recording;
    if (life?.kind !== "life") throw new RangeError("a recording begins with a run");
    const run = new ReplayedRun(life.start, running, true);
    const outputs = recording.flatMap((line) => (line.kind === "entry" ? run.play(line.entry) : []));
    const kinds = new Set(outputs.map(({ kind }) => kind));
    for (const kind of ["submit", "read", "line", "settled", "folded", "done"] as const)
      expect(kinds).not.toContain(kind);
  });

  test("knows the orders that the start found and left where they are", async () => {
    const openOrders = [listed(500n)];
    world = new World();
    const found = { account: accountRead({ accountId: account, openOrders }), open: [], isLedgerLost: false };
    world.driver.feed({ kind: "act", number: 1, act: { kind: "found", ...found, isLedgerNew: false } });
    world.driver.feed({ kind: "start", lastOrderedMs: new Map() });
    for (let tick = 0; tick < 200; tick += 1) {
      world.answerReads({ openOrders });
      for (const submit of world.taken("submit")) world.answer(submit, executedWith());
      world.tick();
    }
    const recording = await recorded();
    const [life] = recording;
    if (life?.kind !== "life") throw new RangeError("a recording begins with a run");
    const run = new ReplayedRun(life.start, running, true);
    const outputs = recording.flatMap((line) => (line.kind === "entry" ? run.play(line.entry) : []));
    const tripped = outputs.filter((output) => output.kind === "tripped" && output.latch.accountId === account);
    expect(world.desk().latches).toEqual([]);
    expect(tripped).toEqual([]);
  });

  test("decides otherwise in its own market alone, and keeps its own whatever the recorded one changed to", async () => {
    world.driver.feed({
      kind: "requote",
      accountId: account,
      quoted: { ...quotedMarket(2), strategy: wider, hash: "wider" },
      goesOn: false,
    });
    const { differences, turns } = await replayed(await recorded(), withStrategy(1));
    expect(new Set(differences.map(({ marketId, field }) => `${marketId} ${field}`))).toContain("1 quotes");
    expect(new Set(differences.map(({ marketId }) => marketId))).toEqual(new Set([1]));
    expect(differences.length).toBeLessThan(turns);
  });
});
