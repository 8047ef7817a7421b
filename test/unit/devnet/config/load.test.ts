// The devnet's configuration: a full example, exact units, and every fault at once at its line and column.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadDevnetConfig } from "../../../../src/devnet/config/load.ts";
import { ConfigError, formatFault } from "../../../../src/kernel/yaml/fault.ts";
import type { Files } from "../../../../src/kernel/yaml/files.ts";

const owner = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const CSV = "parcl_id,date,price_feed\n5,2023-01-02,188.46\n5,2023-01-01,188.4\n6,2023-01-01,99\n";

function disk(files: Readonly<Record<string, string>>): Files {
  const read = (path: string) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error("absent"), { code: "ENOENT" });
    return text;
  };
  return {
    read,
    pieces: (path) => [read(path)],
    chunks: (path) => [Buffer.from(read(path))],
    look: async () => null,
    list: () => [],
    create: () => {},
    replace: () => {},
    remove: () => {},
    isFolder: () => true,
    exists: (path) => path in files,
    resolve: (_base, path) => path,
    watch: () => () => {},
  };
}

const EXAMPLE = `
chainId: venue-v4:devnet:chain-2
seed: 18446744073709551615
markets:
  - marketId: 1
    name: USA-HPI
    tickSize: 0.01
    initialMarginRatioBps: 500
    maintenanceMarginRatioBps: 250
    maxOpenInterest: 1000000
    oracle: { source: csv, file: feed.csv, seriesId: "5", printEverySecs: 0.15, validForSecs: 0.2 }
accounts:
  - { accountId: 12, owner: "0x${owner.toUpperCase()}", collateral: 100000.000001, agents: [{ pubkey: "${owner}", name: bot, expiresAt: 1924905600 }] }
`;

const load = (text: string, csv = CSV) => loadDevnetConfig("d.yaml", disk({ "d.yaml": text, "feed.csv": csv }));

function faultsOf(text: string, csv = CSV): readonly string[] {
  try {
    load(text, csv);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(formatFault);
    throw error;
  }
  return [];
}

describe("the law", () => {
  it("reads human decimals into exact integers and fills defaults", () => {
    const config = load(EXAMPLE);
    expect(config.seed).toBe(18446744073709551615n);
    expect(config.accounts[0]).toMatchObject({
      accountId: 12n,
      owner,
      collateral: 100000000001n,
      native: 0n,
      masterAccountId: null,
    });
    expect(config.accounts[0]?.agents).toEqual([{ pubkey: owner, name: "bot", expiresAtSec: 1_924_905_600 }]);
    expect(config.markets[0]).toMatchObject({
      tickSize: 1_000_000n,
      maxOpenInterest: 1_000_000_000_000n,
      fundingIntervalSecs: 3600,
    });
    expect(config.markets[0]?.marginTiers).toEqual([
      { notionalFloor: 0n, maxLeverage: 20, maintenanceMarginRatioBps: 250 },
    ]);
    expect(config.feeTiers.every((tier) => tier.assetClass === "RealEstate")).toBe(true);
    expect(config.markets[0]).toMatchObject({
      premiumPeriodSecs: 28_800,
      interestRateMicroBps: 64,
      depthThreshold: 500_000_000n,
      maxFundingRateBps: 625,
    });
    expect(config).toMatchObject({
      activationFee: 1_000_000n,
      bridge: {
        deposits: { enabled: true, limit: { usdc: 10n ** 17n, native: 10n ** 17n } },
        withdrawals: { enabled: true, limit: { usdc: 10n ** 13n, native: 10n ** 13n } },
      },
    });
    expect(config).toMatchObject({ blockTimeMs: 200, flow: { enabled: false }, clock: { mode: "real" } });
  });

  it("reads fees and limits, each in its own unit", () => {
    const text = EXAMPLE.replace("    oracle:", "    depthThreshold: 0.5\n    oracle:");
    const { activationFee, bridge, markets } = load(
      `activationFee: 2.5\nbridge: { deposits: { enabled: false }, withdrawals: { limit: { native: 7 } } }\n${text}`,
    );
    expect([activationFee, markets[0]?.depthThreshold]).toEqual([2_500_000n, 500_000n]);
    expect(bridge).toMatchObject({
      deposits: { enabled: false, limit: { usdc: 10n ** 17n } },
      withdrawals: { enabled: true, limit: { usdc: 10n ** 13n, native: 7_000_000n } },
    });
  });

  it("reads the prints of one series, oldest first", () => {
    const { oracle } = load(EXAMPLE).markets[0] ?? {};
    expect(oracle).toEqual({
      source: "csv",
      series: {
        prints: [
          { date: "2023-01-01", price: 18840000000n, step: 0 },
          { date: "2023-01-02", price: 18846000000n, step: 1 },
        ],
        gaps: [],
        period: "day",
      },
      choice: null,
      printEverySecs: 0.15,
      validForSecs: 0.2,
    });
  });

  it.each(["config/devnet.yaml"])("%s, which is shipped, is right", (path) => {
    expect(faultsOf(readFileSync(path, "utf8"))).toEqual([]);
  });
});

describe("faults", () => {
  it("all at once, each at its line and column", () => {
    const text = EXAMPLE.replace("tickSize: 0.01", "tickSize: 0.010000001")
      .replace("seed:", "sede:")
      .replace("accountId: 12", "accountId: -1");
    expect(faultsOf(text)).toEqual([
      expect.stringMatching(/^d\.yaml:3:1: sede: unknown key; did you mean seed\? Allowed: chainId, /),
      expect.stringMatching(
        /^d\.yaml:7:15: markets\[0\]\.tickSize: 0\.010000001 is not allowed; must be a price in USD with at most 8 decimals/,
      ),
      expect.stringMatching(/^d\.yaml:13:18: accounts\[0\]\.accountId: -1 is not allowed; must be an account id/),
    ]);
  });

  it("every line of a file of prints that is wrong, at the key that names the file", () => {
    const faults = faultsOf(EXAMPLE, `${CSV}5,2023-02-31,188\n5,2023-01-02,190\n`);
    expect(faults.map((fault) => fault.replace(/^d\.yaml:\d+:\d+: /, ""))).toEqual([
      'markets[0].oracle.file: feed.csv: line 5: "2023-02-31" is not allowed; a date is a day of the calendar, as 2024-01-31',
      "markets[0].oracle.file: feed.csv: line 6: 2023-01-02 has the value 190 here and 188.46 in line 2",
    ]);
  });

  describe("an index of months or quarters", () => {
    const monthly = "observation_date,5,6\n2023-01-01,188,1\n2023-02-01,189,1\n2023-03-01,190,1\n";

    it("is refused unless the file says how often it prints", () => {
      expect(faultsOf(EXAMPLE, monthly)).toEqual([]);
      const [fault, ...more] = faultsOf(EXAMPLE.replace(" printEverySecs: 0.15,", ""), monthly);
      expect(fault).toContain("markets[0].oracle.file: feed.csv: has one value a month");
      expect(fault).toContain("say printEverySecs");
      expect(more).toEqual([]);
    });

    it("prints month by month", () => {
      const { oracle } = load(EXAMPLE, monthly).markets[0] ?? {};
      expect(oracle).toMatchObject({ series: { period: "month", prints: [{ step: 0 }, { step: 1 }, { step: 2 }] } });
    });
  });

  it("tells which of several columns of values it took", () => {
    const csv = "Date,RegionName,AreaCode,Index,AveragePrice\n01/02/2023,A,5,188,1000\n01/01/2023,A,5,187,1000\n";
    expect(load(EXAMPLE, csv).markets[0]?.oracle).toMatchObject({
      choice: "takes Index of the columns Index, AveragePrice; name the series 5:AveragePrice to take another",
      series: { prints: [{ date: "2023-01-01" }, { date: "2023-02-01" }] },
    });
  });

  it("a fault of a single value hides none of the rules that join several, nor a file of prints that is not there", () => {
    const [, account = ""] = EXAMPLE.split("accounts:\n");
    const text = EXAMPLE.replace("seed:", "sede:")
      .replace("feed.csv", "no.csv")
      .replace(account, account + account);
    const faults = faultsOf(text).map((fault) => fault.split(": ")[1]);
    expect(faults).toEqual(["sede", "markets[0].oracle.file", "accounts[1].accountId"]);
  });

  it.each([
    [
      "a market named twice",
      EXAMPLE.replace(
        "accounts:",
        "  - { marketId: 1, name: b, tickSize: 1, initialMarginRatioBps: 500, maintenanceMarginRatioBps: 250, maxOpenInterest: 1, oracle: { source: fixed, price: 1 } }\naccounts:",
      ),
      /listed twice/,
    ],
    [
      "maintenance at or above initial margin",
      EXAMPLE.replace("maintenanceMarginRatioBps: 250", "maintenanceMarginRatioBps: 500"),
      /must be below initialMarginRatioBps/,
    ],
    ["a missing file", EXAMPLE.replace("file: feed.csv", "file: nowhere.csv"), /nowhere\.csv: no such file/],
    ["a series that is not there", EXAMPLE.replace('seriesId: "5"', 'seriesId: "7"'), /has no row of series 7/],
    ["an unknown source", EXAMPLE.replace("source: csv", "source: oracle"), /must be one of fixed, csv, synthetic/],
    [
      "a master that is no account",
      EXAMPLE.replace("collateral:", "masterAccountId: 99, collateral:"),
      /99 must be the id of an account here/,
    ],
    ["a block time below 5", `blockTimeMs: 4\n${EXAMPLE}`, /must be a whole number from 5|must be milliseconds from 5/],
    [
      "a depth threshold of nothing",
      EXAMPLE.replace("    oracle:", "    depthThreshold: 0\n    oracle:"),
      /depthThreshold: 0 is not allowed; must be an amount in USDC/,
    ],
    [
      "a funding cap beyond 100 %",
      EXAMPLE.replace("    oracle:", "    maxFundingRateBps: 10001\n    oracle:"),
      /must be basis points from 0 to 10000/,
    ],
    ["a direction of the bridge that is none", `bridge: { out: {} }\n${EXAMPLE}`, /allowed: deposits, withdrawals/],
    [
      "a fee below zero",
      `activationFee: -1\n${EXAMPLE}`,
      /must be an amount in USDC with at most 6 decimals, 0 or more/,
    ],
    ["no markets", "chainId: a\nmarkets: []", /at least 1 of markets/],
    ["nothing at all", "", /must be a mapping|missing/],
  ])("%s", (_name, text, expected) => {
    const faults = faultsOf(text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(expected);
  });
});
