// A recorded session, in virtual time, comes out again bit for bit: across swaps of the strategy, a kill and a stop. What was decided
// otherwise is named, and another configuration's decisions are told from the recorded ones.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { BotConfig } from "../../src/bot/config/config.ts";
import type { Entry } from "../../src/bot/recording/entry.ts";
import { exactText } from "../../src/bot/recording/exact-text.ts";
import { type Recorded, recordedIn } from "../../src/bot/recording/reader.ts";
import { type Difference, replay } from "../../src/bot/service/replay/replay.ts";
import { PROJECT, quoinDone } from "../support/quoin.ts";
import { DEMO, recordDemo } from "../support/recorded-demo.ts";
import { scratchFolder } from "../support/scratch.ts";

const HOURS = 0.1;
const folder = scratchFolder("replay");
let other: BotConfig;

beforeAll(async () => {
  ({ other } = await recordDemo(HOURS, folder));
});

async function replayed(recording: Iterable<Recorded>, accounts: BotConfig["accounts"] | null = null) {
  const differences: Difference[] = [];
  const counts = await replay(recording, accounts, (difference) => {
    differences.push(difference);
    return accounts !== null;
  });
  return { ...counts, differences };
}

test("every decision comes out again, across swaps, a kill and a stop", async () => {
  const kinds = new Set<string>();
  let lives = 0;
  let sent = 0;
  for (const recorded of recordedIn(folder)) {
    if (recorded.kind === "life") lives += 1;
    if (recorded.kind !== "entry") continue;
    kinds.add(recorded.entry.kind);
    if (recorded.entry.kind === "event" && recorded.entry.event.kind === "sent") sent += 1;
  }
  expect(lives).toBe(3);
  expect(sent).toBeGreaterThan(100);
  expect([...kinds]).toEqual(expect.arrayContaining(["event", "again", "tick", "requote", "account", "act"]));

  const { turns, commands, differences } = await replayed(recordedIn(folder));
  expect(differences).toEqual([]);
  expect(turns).toBeGreaterThan(500);
  expect(commands).toBeGreaterThan(100);
});

test("the command says so, of the folder and of each file; a kill has cut its file off", async () => {
  const { code, stdout } = await quoinDone(["replay", folder, "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ kind: "replay", identical: true, truncated: true });
  const results = await Promise.all(
    readdirSync(folder).map(async (name) => (await quoinDone(["replay", join(folder, name), "--json"])).stdout),
  );
  expect(results.map((line) => JSON.parse(line).truncated ?? false)).toEqual([true, false, false]);
  expect(results.map((line) => JSON.parse(line).identical)).toEqual([true, true, true]);
});

/** The recording with one quote of a later turn moved by a base unit. */
function* flipped(): Generator<Recorded> {
  let turns = 0;
  for (const recorded of recordedIn(folder)) {
    const decided = recorded.kind === "entry" ? recorded.entry.decided : undefined;
    if (decided?.of === "turn") turns += 1;
    const turn = decided?.of === "turn" ? decided.turn : null;
    const [first, ...rest] = turn?.quotes.quotes ?? [];
    if (turns < 500 || turn === null || first === undefined) yield recorded;
    else {
      const quotes = { ...turn.quotes, quotes: [{ ...first, price: first.price + 1n }, ...rest] };
      const { entry } = recorded as { readonly entry: Entry };
      yield { kind: "entry", entry: { ...entry, decided: { ...decided, turn: { ...turn, quotes } } } as Entry };
    }
  }
}

test("the first decision that comes out otherwise is named, and nothing after it is looked at", async () => {
  const { differences } = await replayed(flipped());
  expect(differences).toEqual([expect.objectContaining({ field: "quotes", accountId: 12n })]);
});

/** The recording with the best bid of a later book lower than it was. */
function* lowered(): Generator<Recorded> {
  let books = 0;
  for (const recorded of recordedIn(folder)) {
    const { event } = recorded.kind === "entry" && recorded.entry.kind === "event" ? recorded.entry : { event: null };
    if (event?.kind !== "book" || event.book.marketId !== 1) yield recorded;
    else {
      books += 1;
      const [, ...bids] = event.book.bids;
      const told = books === 100 ? { ...event, book: { ...event.book, bids } } : event;
      yield { kind: "entry", entry: { ...(recorded as { readonly entry: Entry }).entry, event: told } as Entry };
    }
  }
}

test("an event that was another one shows in what is decided after it", async () => {
  expect((await replayed(lowered())).differences).toHaveLength(1);
});

/** As a version wrote it that did not have these keys yet, at their defaults here. */
function* older(): Generator<Recorded> {
  const without = <T extends object>({ ...fields }: T, key: keyof T): T => {
    delete fields[key];
    return fields;
  };
  for (const recorded of recordedIn(folder)) {
    if (recorded.kind !== "life") yield recorded;
    else {
      const accounts = recorded.start.accounts.map((account) => ({
        ...account,
        markets: account.markets.map((market) => ({
          ...without(market, "queueTicks"),
          limits: without(market.limits, "maxEventLoopLagMs"),
        })),
      }));
      yield { ...recorded, start: { ...recorded.start, accounts } };
    }
  }
}

test("keys that the recording's version did not have are at their defaults", async () => {
  expect((await replayed(older())).differences).toEqual([]);
});

test("another configuration decides otherwise where it differs, and the same where it does not", async () => {
  const { differences, differing, turns } = await replayed(recordedIn(folder), other.accounts);
  expect(differing).toBe(differences.length);
  const elsewhere = differences.filter(({ marketId }) => marketId !== 1);
  expect(elsewhere.length, "a market that turns at another instant may round a price otherwise").toBeLessThan(4);
  expect(differing).toBeGreaterThan(300);
  expect(differing).toBeLessThan(turns);
  const stillGates = differences.filter(({ replayed }) => exactText(replayed).includes("cannotAct"));
  expect(stillGates, "its orders are not those of the other configuration, and it is not held against that").toEqual(
    [],
  );

  const written = join(scratchFolder("other"), "other.yaml");
  writeFileSync(
    written,
    readFileSync(DEMO, "utf8")
      .replace("devnet.yaml", join(PROJECT, "config/devnet.yaml"))
      .replace("halfSpreadBps: 4", "halfSpreadBps: 9"),
  );
  const { code, stdout } = await quoinDone(["replay", folder, "--config", written, "--json"]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly kind: string; readonly differing?: number });
  expect(code).toBe(0);
  expect(lines.at(-1)).toMatchObject({ kind: "replay", differing });
  expect(lines.slice(0, -1)).toHaveLength(differing);
  expect(lines[0]).toMatchObject({ kind: "difference", accountId: "12", marketId: 1, field: "quotes" });
});

test("a damaged file is replayed up to the damage", async () => {
  const [name = ""] = readdirSync(folder);
  const bytes = readFileSync(join(folder, name));
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  const damaged = join(scratchFolder("replay-damaged"), "damaged.qrec");
  writeFileSync(damaged, bytes);
  const { code, stdout } = await quoinDone(["replay", damaged, "--json"]);
  expect(code).toBe(0);
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ kind: "replay", identical: true, truncated: true });
  expect(result.events).toBeGreaterThan(100);
});

test("what cannot be replayed is refused in one line", async () => {
  expect(await quoinDone(["replay", join(folder, "none")])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^quoin: .*none cannot be read: .*\n$/),
  });
  expect(await quoinDone(["replay", DEMO])).toMatchObject({
    code: 2,
    stderr: `quoin: ${DEMO} is no recording of Quoin\n`,
  });
  const [name = ""] = readdirSync(folder);
  const whole = readFileSync(join(folder, name));
  const damaged = Buffer.from(whole);
  const firstBatch = whole.indexOf("\n") + 30;
  damaged[firstBatch] = (damaged[firstBatch] ?? 0) ^ 1;
  const bad = join(scratchFolder("replay-bad"), "bad.qrec");
  const heads = [whole.subarray(0, 0), whole.subarray(0, 20), whole.subarray(0, whole.indexOf("\n") + 1), damaged];
  for (const bytes of heads) {
    writeFileSync(bad, bytes);
    expect(await quoinDone(["replay", bad, "--json"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `quoin: ${bad}: not one event can be read: it is damaged, or was cut off, before the first\n`,
    });
  }
  const pipe = `${bad}.pipe`;
  execFileSync("mkfifo", [pipe]);
  expect(await quoinDone(["replay", pipe])).toMatchObject({
    code: 2,
    stderr: `quoin: ${pipe} is no regular file: copy the recording into one and name that\n`,
  });
});
