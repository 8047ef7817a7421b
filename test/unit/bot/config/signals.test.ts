// Outside facts in a configuration: what is read of them, and what is refused.

import { expect, test } from "vitest";
import { readBotConfig } from "../../../../src/bot/config/load.ts";
import { datedByPrints } from "../../../../src/configuration.ts";
import type { DevnetConfig } from "../../../../src/devnet/config/config.ts";
import { ConfigError, formatFault } from "../../../../src/kernel/yaml/fault.ts";
import { type Files, systemFiles, UnreadableFile } from "../../../../src/kernel/yaml/files.ts";

const EXAMPLE = `
venue: { chainId: "venue-v4:devnet:chain-2", validatorUrl: "http://127.0.0.1:18080" }
accounts:
  - accountId: 12
    agentKeyFile: agent.key
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.5 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
`;
const SIGNALS = `        signals: [listings, desk, other, mix]
signals:
  - { name: listings, file: listings.csv, series: "5826765", publishedAfterDays: 1, maxAgeSecs: 172800 }
  - { name: desk, push: true, maxAgeSecs: 600 }
  - { name: other, market: 2, maxAgeSecs: 90000 }
  - { name: mix, composite: { listings: 3, other: 1 } }
`;
const DAILY =
  "parcl_id,date,price_feed\n5826765,2024-01-01,217.1\n5826765,2024-01-02,217.2\n5826765,2024-01-03,217.4\n";
const MONTHLY = "date,value\n2024-01-01,217.1\n2024-02-01,217.2\n2024-03-01,217.4\n";

const load = (signals: string, csv = DAILY) => {
  const files: Files = {
    ...systemFiles,
    read: (path) => (path === "/etc/quoin/bot.yaml" ? EXAMPLE + signals : systemFiles.read(path)),
    *pieces(path, bytesMax = Number.POSITIVE_INFINITY) {
      if (path !== "/etc/quoin/listings.csv") throw Object.assign(new Error("no"), { code: "ENOENT" });
      if (csv.length > bytesMax) throw new UnreadableFile("is larger");
      yield csv;
    },
  };
  return readBotConfig("/etc/quoin/bot.yaml", files, () => ({ chainId: "" }));
};
async function faultsOf(signals: string, csv?: string): Promise<readonly string[]> {
  try {
    await load(signals, csv);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => formatFault(fault).replace("/etc/quoin/", ""));
    throw error;
  }
  return [];
}
const utc = (text: string): number => Date.parse(`${text}T00:00:00Z`);

test("sources that are heard, and the parts by which a market uses them", async () => {
  const { signals, accounts } = await load(SIGNALS);
  expect(signals).toEqual([
    {
      name: "listings",
      maxAgeMs: 172_800_000,
      kind: "file",
      file: "/etc/quoin/listings.csv",
      rows: [
        { publishedMs: utc("2024-01-02"), value: 217.1 },
        { publishedMs: utc("2024-01-03"), value: 217.2 },
        { publishedMs: utc("2024-01-04"), value: 217.4 },
      ],
    },
    { name: "desk", maxAgeMs: 600_000, kind: "push" },
  ]);
  const listings = { name: "listings", maxAgeMs: 172_800_000, marketId: null };
  const other = { name: "other", maxAgeMs: 90_000_000, marketId: 2 };
  expect(accounts[0]?.markets[0]?.signals).toEqual([
    { name: "listings", parts: [{ ...listings, share: 1 }] },
    { name: "desk", parts: [{ name: "desk", maxAgeMs: 600_000, marketId: null, share: 1 }] },
    { name: "other", parts: [{ ...other, share: 1 }] },
    {
      name: "mix",
      parts: [
        { ...listings, share: 0.75 },
        { ...other, share: 0.25 },
      ],
    },
  ]);
});

test("without signals a market's hash is what it was, and with them another one", async () => {
  const hashOf = async (signals: string) => (await load(signals)).accounts[0]?.markets[0]?.hash;
  expect(await hashOf("")).toBe(await hashOf("signals:\n  - { name: desk, push: true, maxAgeSecs: 600 }\n"));
  expect(await hashOf(SIGNALS)).not.toBe(await hashOf(""));
});

test("months need to be told when they are published, days are known a day later", async () => {
  const monthly = (more: string) => `signals:\n  - { name: listings, file: listings.csv, maxAgeSecs: 1${more} }\n`;
  expect(await faultsOf(monthly(""), MONTHLY)).toEqual([
    expect.stringMatching(
      /bot\.yaml:12:\d+: signals\[0\]\.file: listings\.csv: has one value a month and says nothing of when each was published; say the days/,
    ),
  ]);
  const [source] = (await load(monthly(", publishedAfterDays: 60"), MONTHLY)).signals;
  expect(source?.kind === "file" && source.rows[0]?.publishedMs).toBe(utc("2024-03-01"));
});

test.each([
  ["- { name: a, maxAgeSecs: 1 }", /has no source; give one of file, push, market, composite/],
  ["- { name: a, push: true, market: 2, maxAgeSecs: 1 }", /market: is not allowed with push/],
  ["- { name: a, push: false, maxAgeSecs: 1 }", /push: must be true/],
  ["- { name: a, push: true }", /maxAgeSecs: missing/],
  ["- { name: a, push: true, series: x, maxAgeSecs: 1 }", /series: is allowed with file alone/],
  ["- { name: 1a, push: true, maxAgeSecs: 1 }", /name: .*must be a signal's name/],
  ["- { name: a, file: none.csv, maxAgeSecs: 1 }", /file: none\.csv: no such file/],
  ["- { name: a, composite: { b: 1 } }", /composite\.b: unknown signal/],
  ["- { name: a, composite: { a: 1 } }", /composite\.a: is a composite itself/],
  ["- { name: a, composite: {} }", /composite: names no signal/],
  ["- { name: a, push: true, maxAgeSecs: 1 }\n  - { name: a, push: true, maxAgeSecs: 1 }", /name: a appears twice/],
])("forbidden: %s", async (written, why) => {
  expect(await faultsOf(`signals:\n  ${written}\n`)).toEqual([expect.stringMatching(why)]);
});

test.each([
  ["[nobody]", /signals\[0\]: unknown signal/],
  ["[two, two]", /signals\[1\]: two appears twice/],
  ["[own]", /signals\[0\]: own is the market's own print/],
  ["[both]", /signals\[0\]: both is the market's own print/],
])("forbidden to a market: %s", async (names, why) => {
  const signals = `        signals: ${names}
signals:
  - { name: two, market: 2, maxAgeSecs: 1 }
  - { name: own, market: 1, maxAgeSecs: 1 }
  - { name: both, composite: { two: 1, own: 1 } }
`;
  expect(await faultsOf(signals)).toEqual([expect.stringMatching(why)]);
});

test("forbidden: a file beyond 1 MiB, packed or not", async () => {
  const big = `date,value\n${"#".repeat(2 ** 20)}\n`;
  expect(await faultsOf(SIGNALS, big)).toEqual([expect.stringMatching(/is larger/)]);
});

test("beside an embedded exchange that prints a history, rows are known on the day of their date there", async () => {
  const bot = await load(SIGNALS);
  const prints = ["2024-01-02", "2024-01-03", "2024-01-06"].map((date, at) => ({
    date,
    price: 1n,
    step: [0, 1, 4][at],
  }));
  const oracle = { source: "csv", series: { prints, gaps: [], period: "day" }, printEverySecs: 3600 };
  const devnet = { markets: [{ marketId: 1, oracle }] } as unknown as DevnetConfig;
  const HOUR_MS = 3_600_000;
  const [listings, desk] = datedByPrints(bot.signals, { bot, devnet }, 10 * HOUR_MS);
  expect(desk).toBe(bot.signals[1]);
  // Published on 2 January, before the print of that day, which is the first; on the 3rd; and on the 4th, a third of the way to the 6th.
  expect(listings?.kind === "file" && listings.rows).toEqual([
    { publishedMs: 9 * HOUR_MS, value: 217.1 },
    { publishedMs: 10 * HOUR_MS, value: 217.2 },
    { publishedMs: 11 * HOUR_MS, value: 217.4 },
  ]);
  expect(datedByPrints(bot.signals, { bot, devnet: null }, 0)).toEqual(bot.signals);
});
