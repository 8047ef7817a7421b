// Reading a configuration in a thread: it refuses each fault at its place, and no file and no strategy's code can hold up the calling
// thread.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { ReadTexts } from "../../../../src/daemon/configuration/reader.ts";
import { readConfiguration, readEither } from "../../../../src/daemon/configuration/thread.ts";
import type { Host } from "../../../../src/host/host.ts";
import { processHost } from "../../../../src/host/process.ts";
import { ConfigError, formatFault } from "../../../../src/kernel/yaml/fault.ts";
import { CONFIG_BYTES_MAX } from "../../../../src/kernel/yaml/files.ts";
import { startKeptThread } from "../../../support/kept-threads.ts";

/** A thread that has read before, for what any thread says. */
const kept: Host = { ...processHost, startThread: startKeptThread };

const folder = mkdtempSync(join(tmpdir(), "quoin-read-"));
afterAll(() => rmSync(folder, { recursive: true }));

const FILE = join(folder, "bot.yaml");
const DEVNET = new URL("../../../../config/devnet.yaml", import.meta.url).pathname;
const QUOTES = `return { quotes: ["buy", "sell"].map((side) => ({ side, level: 0, price: side === "buy" ? 19980000000n : 20020000000n,
    size: 500000n, reduceOnly: false, intent: "rest" })), fairValueUsd: 200, reason: null };`;

const yaml = (market: string) => `venue: { chainId: venue-v4:devnet:chain-2, embedded: ${DEVNET} }
accounts:
  - accountId: 12
    markets:
      - ${market}
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
`;

/** A strategy whose `quote` is on line 6, its body on line 7. */
const mine = (body: string, top = "", name = "mine") => `import { defineStrategy } from "quoin/strategy";
import { z } from "zod";
${top}
export const strategy = defineStrategy({
  name: "${name}", summary: "Mine.", params: z.strictObject({}), start: () => ({}),
  quote(view, params, memory) {
    ${body}
  },
});
`;

async function faultsOf(text: string, host: Host = processHost): Promise<readonly string[]> {
  writeFileSync(FILE, text);
  return readConfiguration({ file: FILE }, host).then(
    () => [],
    (error: unknown) => (error instanceof ConfigError ? error.faults.map(formatFault) : [String(error)]),
  );
}

function faultsOfCode(body: string, host?: Host): Promise<readonly string[]> {
  writeFileSync(join(folder, "mine.ts"), mine(body));
  return faultsOf(yaml("marketId: 1\n        strategy: ./mine.ts"), host);
}

test("a right file comes back whole, its strategy loaded here, with the texts that it was read from", async () => {
  writeFileSync(join(folder, "mine.ts"), mine(QUOTES));
  writeFileSync(FILE, yaml("marketId: 1\n        strategy: ./mine.ts"));
  const texts: ReadTexts = new Map();
  const { bot, devnet } = await readConfiguration({ file: FILE, texts }, processHost);
  const market = bot.accounts[0]?.markets[0];
  expect(market).toMatchObject({ marketId: 1, limits: { maxOrderSize: 2_000_000n }, strategy: { name: "mine" } });
  expect(market?.strategy.start().quote({} as never).quotes).toHaveLength(2);
  expect(devnet?.chainId).toBe(bot.venue.chainId);
  expect([...texts.keys()].toSorted()).toEqual([FILE, join(folder, "mine.ts")]);
});

test("settings stand for the file's values, and what limits would deny is refused of them too", async () => {
  const path = "accounts.12.markets.1.params.size";
  writeFileSync(
    FILE,
    yaml("marketId: 1\n        strategy: fixed-spread\n        params: { halfSpreadBps: 4, size: 0.5 }"),
  );
  const read = (value: unknown) => readConfiguration({ file: FILE, settings: [{ path, value }] }, kept);
  expect((await read(1)).bot.accounts[0]?.markets[0]?.strategy.params).toMatchObject({ size: 1_000_000n });
  await expect(read(5)).rejects.toThrow(/params.size: 5 is above maxOrderSize, 2/);
});

test("either kind of file is read where both may stand", async () => {
  expect(await readEither(DEVNET, kept)).toMatchObject({ bot: null, devnet: { chainId: expect.any(String) } });
});

test("forbidden: a market that the embedded exchange does not list", async () => {
  expect(
    await faultsOf(
      yaml("marketId: 99\n        strategy: fixed-spread\n        params: { halfSpreadBps: 4, size: 0.5 }"),
      kept,
    ),
  ).toEqual([
    expect.stringMatching(/bot\.yaml:5:19: accounts\[0\]\.markets\[0\]\.marketId: the exchange has no market 99/),
  ]);
});

const LEVELS = 'import { levelQuotes } from "quoin/strategy";';
const levelled = (fair: string, bid: string) =>
  `return levelQuotes(view, { fairValueUsd: ${fair}, bids: [{ usd: ${bid}, size: 500000n }], asks: [], maxInventory: null });`;

type Row = readonly [what: string, body: string, top: string, why: RegExp];
const asItLoads: readonly Row[] = [
  ["that imports the disk", QUOTES, 'import { readFileSync } from "fs";', /imports "fs".*mine0\.ts:3/],
  ["that imports a package", QUOTES, 'import undici from "undici";', /imports "undici"/],
  ["that reads the clock as it loads", QUOTES, "const t = new Date();", /uses new Date\(\).*mine2\.ts:3/],
];
const asItTurns: readonly Row[] = [
  ["that reads the clock", `Date.now(); ${QUOTES}`, "", /uses Date\.now.*mine0\.ts:7/],
  ["that draws lots, and hides it", `try { Math.random(); } catch {} ${QUOTES}`, "", /uses Math\.random.*mine1\.ts:7/],
  ["that goes by way of the global object", `globalThis.performance.now(); ${QUOTES}`, "", /uses performance/],
  ["that draws keys", `crypto.randomUUID(); ${QUOTES}`, "", /uses crypto/],
  ["that waits", `setTimeout(() => {}, 1); ${QUOTES}`, "", /uses setTimeout/],
  ["that ends the process", "process.exit(0);", "", /uses process/],
  ["that asks the network", `fetch("http://127.0.0.1:1"); ${QUOTES}`, "", /uses fetch/],
  ["that throws", 'throw new Error("no");', "", /threw: no at \S+mine7\.ts:7/],
  [
    "that returns quotes without end",
    "return { quotes: (function* () { for (;;) yield 1; })(), fairValueUsd: 1, reason: null };",
    "",
    /wrong quotes \(must be a list/,
  ],
  [
    "that returns no quotes and no reason",
    "return { quotes: [], fairValueUsd: 200, reason: null };",
    "",
    /no quotes, and no reason why at \S+mine9\.ts:6/,
  ],
  [
    "that returns NaN",
    "return { quotes: [], fairValueUsd: NaN, reason: null };",
    "",
    /returned fairValueUsd NaN \(must be a finite number or null\) at \S+mine10\.ts:6/,
  ],
  ["whose fair value is NaN", levelled("NaN", "200"), LEVELS, /threw: the fair value is NaN at \S+mine11\.ts:7, tried/],
  [
    "whose bid is NaN as soon as it holds something",
    levelled("200", "view.position.value.inventory === 0n ? 199 : NaN"),
    LEVELS,
    /threw: the bid price is NaN at \S+mine12\.ts:7, tried on a view in which all is well, with a position of 1 contract/,
  ],
  [
    "whose bid is NaN as soon as it is short",
    levelled("200", "199 + Math.sqrt(Number(view.position.value.inventory)) / 1e6"),
    LEVELS,
    /threw: the bid price is NaN at \S+mine13\.ts:7, tried on a view in which all is well, with a position of -1 contract/,
  ],
];

describe("forbidden: code", () => {
  const faults = new Map<readonly Row[], readonly string[]>();
  /** Each in a market of its own, in one file: every fault is told at once. */
  async function read(rows: readonly Row[]): Promise<void> {
    const devnet = parse(readFileSync(DEVNET, "utf8"));
    const [market] = devnet.markets;
    const markets = rows.map((_, at) => ({ ...market, marketId: at + 1, name: `INDEX-${at + 1}` }));
    writeFileSync(join(folder, "wide.yaml"), JSON.stringify({ ...devnet, markets }));
    for (const [at, [, body, top]] of rows.entries())
      writeFileSync(join(folder, `mine${at}.ts`), mine(body, top, `mine${at}`));
    const limits = "limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }";
    const quoted = rows.map((_, at) => `      - { marketId: ${at + 1}, strategy: ./mine${at}.ts, ${limits} }\n`);
    const venue = "venue: { chainId: venue-v4:devnet:chain-2, embedded: wide.yaml }";
    const text = `${venue}\naccounts:\n  - accountId: 12\n    markets:\n${quoted.join("")}`;
    faults.set(rows, await faultsOf(text));
  }
  beforeAll(async () => {
    await read(asItLoads);
    await read(asItTurns);
  });

  test.each([asItLoads, asItTurns].flatMap((rows) => rows.map((row, at) => [row[0], rows, at, row[3]] as const)))(
    "%s",
    (_, rows, at, why) => {
      const found = (faults.get(rows) ?? []).filter((fault) => fault.includes(`bot.yaml:${at + 5}:`));
      expect(found).toEqual([expect.stringContaining(`accounts[0].markets[${at}].strategy: `)]);
      expect(found.join()).toMatch(why);
    },
  );

  test.each([
    ["that imports the disk later", `import("node:fs"); ${QUOTES}`, /it imports "node:fs"/],
    // A machine with much to do gives it less than a second of a processor in ten.
    [
      "that does not return",
      "while (true) {}",
      /has not returned after 1 s of processor time at \S+mine\.ts:6|within \d+ s/,
    ],
    ["that fills the memory", "const all = []; for (;;) all.push([view]);", /of memory|of processor time|within \d+ s/],
  ])("%s ends its thread", async (_, body, why) => {
    const only = await faultsOfCode(body);
    expect(only).toEqual([expect.stringMatching(/bot\.yaml:6:19: accounts\[0\]\.markets\[0\]\.strategy: /)]);
    expect(only.join()).toMatch(why);
  });
});

describe("a strategy that quotes nothing and says why", () => {
  const warningsOf = async (body: string) => {
    writeFileSync(join(folder, "mine.ts"), mine(body));
    writeFileSync(FILE, yaml("marketId: 1\n        strategy: ./mine.ts"));
    const read = await readEither(FILE, kept);
    return read.bot === null ? [] : read.warnings.map(formatFault);
  };

  test("is a warning where nothing that it holds changes that", async () => {
    expect(await warningsOf('return { quotes: [], fairValueUsd: 200, reason: "too narrow" };')).toEqual([
      expect.stringMatching(
        /bot\.yaml:6:19: accounts\[0\]\.markets\[0\]\.strategy: mine quotes nothing, "too narrow" at \S+mine\.ts:6, tried on a view in which all is well, flat, long and short$/,
      ),
    ]);
  });

  test.each([
    ["one that quotes", QUOTES],
    [
      "one that waits for a position, and then for its time",
      'return { quotes: [], fairValueUsd: 200, reason: view.position.value.inventory === 0n ? "flat" : "on schedule" };',
    ],
    [
      "one that quotes once it holds something",
      `if (view.position.value.inventory === 0n) return { quotes: [], fairValueUsd: 200, reason: "flat" }; ${QUOTES}`,
    ],
  ])("edge: %s is none", async (_, body) => {
    expect(await warningsOf(body)).toEqual([]);
  });
});

test("a date of a given time is no clock", async () => {
  expect(await faultsOfCode(`new Date(5).getUTCDay(); Date.UTC(2026, 1); ${QUOTES}`, kept)).toEqual([]);
});

test.each([
  ["a pipe", (path: string) => execFileSync("mkfifo", [path]), "is not a regular file"],
  ["a device", (path: string) => symlinkSync("/dev/zero", path), "is not a regular file"],
  ["a folder", (path: string) => mkdirSync(path), "is not a regular file"],
  ["more than 1 MiB", (path: string) => writeFileSync(path, "#".repeat(CONFIG_BYTES_MAX + 1)), "is larger than 1 MiB"],
])("forbidden: %s", async (name, make, why) => {
  const file = join(folder, name.replaceAll(" ", "-"));
  make(file);
  await expect(readConfiguration({ file }, kept)).rejects.toThrow(`${file}:1:1: ${why}`);
});
