// The bot's configuration: a full example, what it becomes, and every rule that no single value can break.

import { describe, expect, it } from "vitest";
import { readBotConfig, readWithoutMarkets } from "../../../../src/bot/config/load.ts";
import { dialectWords, unknownDialect } from "../../../../src/domain/dialect.ts";
import { ConfigError, formatFault } from "../../../../src/kernel/yaml/fault.ts";
import { type Files, systemFiles } from "../../../../src/kernel/yaml/files.ts";

const EXAMPLE = `
venue:
  chainId: venue-v4:devnet:chain-2
  validatorUrl: http://127.0.0.1:18080/
accounts:
  - accountId: 18446744073709551615
    agentKeyFile: agent.key
    limits: { maxGrossNotional: 100000, maxLoss: 2000 }
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.5, levels: 2, stepBps: 5 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
`;

/** Configuration files from memory, strategies from the checkout. */
const disk = (text: string): Files => ({
  ...systemFiles,
  read: (path) => (path === "/etc/quoin/bot.yaml" ? text : systemFiles.read(path)),
});
/** The exchange that `embedded: NAME` describes has NAME for its chain id; `no-such` is no file. */
function readEmbedded(path: string): { readonly chainId: string } {
  const chainId = path.replace("/etc/quoin/", "");
  if (chainId === "no-such")
    throw new ConfigError([{ file: path, line: 1, column: 1, path: "", message: "no such file" }]);
  return { chainId };
}
const load = (text: string) => readBotConfig("/etc/quoin/bot.yaml", disk(text), readEmbedded);

async function faultsOf(text: string): Promise<readonly string[]> {
  try {
    await load(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => formatFault(fault).replace("/etc/quoin/", ""));
    throw error;
  }
  return [];
}

describe("the law", () => {
  it("reads the example exactly, with paths beside the file and defaults filled in", async () => {
    const config = await load(EXAMPLE);
    expect(config.venue).toEqual({
      kind: "remote",
      chainId: "venue-v4:devnet:chain-2",
      live: false,
      tooManyRequestsMeans: "rejected",
      landingBoundMs: 90_000,
      readLagMaxMs: 3000,
      dialect: unknownDialect,
      validatorUrl: "http://127.0.0.1:18080",
      wsUrl: "ws://127.0.0.1:18080/v1/ws",
      restUrl: null,
    });
    expect(config.accounts[0]).toMatchObject({
      accountId: 18446744073709551615n,
      agentKeyFile: "/etc/quoin/agent.key",
    });
    expect(config.accounts[0]?.limits).toMatchObject({ maxGrossNotional: 100_000_000_000n, maxLoss: 2_000_000_000n });
    expect(config.accounts[0]?.markets[0]?.limits).toMatchObject({ maxPosition: 20_000_000n, maxFillsPerMinute: 300 });
    expect(config).toMatchObject({ server: { host: "127.0.0.1", port: 9464 }, log: { level: "info" } });
    expect(config.ledger.file).toBe("/etc/quoin/var/quoin.sqlite");
  });

  it("a market's hash changes with strategy, parameters and limits, and with nothing else", async () => {
    const hashOf = async (text: string) => (await load(text)).accounts[0]?.markets[0]?.hash;
    const hash = await hashOf(EXAMPLE);
    expect(hash).toMatch(/^[0-9a-f]{12}$/);
    expect(await hashOf(`${EXAMPLE}log: { level: debug }\n`)).toBe(hash);
    expect(await hashOf(EXAMPLE.replace("levels: 2", "levels: 3"))).not.toBe(hash);
    expect(await hashOf(EXAMPLE.replace("maxPosition: 20", "maxPosition: 21"))).not.toBe(hash);
  });
});

const withDialect = (dialect: string): string => EXAMPLE.replace("accounts:", `  dialect: ${dialect}\naccounts:`);

describe("the exchange's dialect", () => {
  const read = async (dialect: string) => (await load(withDialect(dialect))).venue.dialect;

  it("is unknown where the file is silent", async () => {
    expect(await read("{}")).toEqual(unknownDialect);
    expect(await read("{ cancel: list }")).toEqual({ ...unknownDialect, cancel: "list" });
  });

  it("takes every word that there is", async () => {
    for (const [key, words] of Object.entries(dialectWords))
      for (const word of words) expect(await read(`{ ${key}: "${word}" }`)).toEqual({ ...unknownDialect, [key]: word });
  });

  it("takes 404 as YAML reads it, and as text", async () => {
    for (const written of ["404", '"404"', "'404'"])
      expect(await read(`{ emptyList: ${written} }`)).toEqual({ ...unknownDialect, emptyList: "404" });
  });
});

describe("the forbidden", () => {
  it.each([
    [
      "a chain that is no devnet without live",
      EXAMPLE.replace("devnet", "mainnet"),
      /^bot\.yaml:3:12: venue\.chainId: .*live: true/,
    ],
    [
      "a meaning of 429 that there is not",
      EXAMPLE.replace("accounts:", "  tooManyRequestsMeans: executed\naccounts:"),
      /venue\.tooManyRequestsMeans: "executed" is not allowed; must be one of rejected, unknown/,
    ],
    [
      "a word that no exchange speaks",
      withDialect("{ cancel: frame, emptyList: 405 }"),
      /^bot\.yaml:5:22: venue\.dialect\.cancel: "frame" is not allowed; must be one of event, list\nbot\.yaml:5:40: venue\.dialect\.emptyList: 405 is not allowed; must be one of list, 404$/,
    ],
    [
      "a key of the dialect that is misspelled",
      withDialect("{ modifysize: none }"),
      /^bot\.yaml:5:14: venue\.dialect\.modifysize: unknown key; did you mean modifySize\? Allowed: modifyPrice, modifySize, .*/,
    ],
    ["a dialect that is no mapping", withDialect("total"), /venue\.dialect: must be a mapping with modifyPrice, /],
    [
      "reads that may lag for as long as a transaction may land",
      EXAMPLE.replace("accounts:", "  landingBoundMs: 30000\n  readLagMaxMs: 30000\naccounts:"),
      /venue\.readLagMaxMs: 30000 is not below landingBoundMs, 30000; set it lower/,
    ],
    [
      "URLs beside embedded",
      EXAMPLE.replace("accounts:", "  embedded: x.yaml\naccounts:"),
      /venue\.validatorUrl: is not allowed with embedded/,
    ],
    ["no way to the exchange", EXAMPLE.replace(/ {2}validatorUrl.*\n/, ""), /venue\.validatorUrl: missing/],
    ["an account without a key", EXAMPLE.replace(/ {4}agentKeyFile.*\n/, ""), /agentKeyFile: missing/],
    [
      "one key for two purposes",
      EXAMPLE.replace("agentKeyFile: agent.key", "agentKeyFile: agent.key\n    watchdogKeyFile: agent.key"),
      /is used twice/,
    ],
    [
      "an unknown strategy",
      EXAMPLE.replace("fixed-spread", "no-such"),
      /strategy: there is no strategy "no-such"; allowed: .*fixed-spread, .*, or the path of a \.ts file$/,
    ],
    [
      "a strategy whose name is misspelled",
      EXAMPLE.replace("fixed-spread", "fixd-spread"),
      /^bot\.yaml:11:19: .*strategy: there is no strategy "fixd-spread"; did you mean fixed-spread\? Allowed: .*, or the path of a \.ts file$/,
    ],
    [
      "a strategy's name as nobody writes it",
      EXAMPLE.replace("fixed-spread", "Fixed_Spread"),
      /^bot\.yaml:11:19: .*strategy: "Fixed_Spread" is no name of a strategy.*; did you mean fixed-spread\? Allowed: /,
    ],
    [
      "a strategy's file that is not there",
      EXAMPLE.replace("fixed-spread", "./my/none.ts"),
      /^bot\.yaml:11:19: .*strategy: there is no strategy "none"; allowed: /,
    ],
    [
      "a strategy's name that leaves its folder",
      EXAMPLE.replace("fixed-spread", "../x"),
      /strategy: .*must be a file in strategies/,
    ],
    [
      "one key for two accounts under two spellings",
      EXAMPLE + EXAMPLE.split("accounts:\n")[1]?.replace("551615", "551614").replace("agent.key", "./agent.key"),
      /^bot\.yaml:15:19: accounts\[1\]\.agentKeyFile: \.\/agent\.key is used twice/,
    ],
    [
      "a URL with a password",
      EXAMPLE.replace("http://127.0.0.1:18080", "http://user:hunter2@127.0.0.1:18080"),
      /validatorUrl: holds a user or a password, which Quoin does not send; must be an http or https URL without them$/,
    ],
    [
      "a URL with a user and without a scheme",
      EXAMPLE.replace("http://127.0.0.1:18080", "user@127.0.0.1:18080"),
      /validatorUrl: holds a user or a password/,
    ],
    ["a port that is none", EXAMPLE.replace(":18080/", ":99999"), /validatorUrl: .*must be an http or https URL$/],
    [
      "an unknown parameter",
      EXAMPLE.replace("levels: 2", "level: 2"),
      /^bot\.yaml:12:.*params\.level: unknown parameter; did you mean levels\? Allowed: halfSpreadBps, size, levels, /,
    ],
    [
      "two unknown parameters, each at its place",
      EXAMPLE.replace("levels: 2, stepBps: 5", "level: 2, step: 5"),
      /^bot\.yaml:12:49: .*level: .*did you mean levels\? .*\nbot\.yaml:12:59: .*step: .*did you mean stepBps\? Allowed/,
    ],
    [
      "an unknown key",
      EXAMPLE.replace("maxLoss: 500", "maxLoss: 500, maxPrintMove: 1"),
      /limits\.maxPrintMove: unknown key; did you mean maxPrintMoveBps\? Allowed: maxPosition, /,
    ],
    ["a parameter that must be said", EXAMPLE.replace("size: 0.5, ", ""), /params\.size: missing; needed: .*Contracts/],
    [
      "a parameter out of bounds",
      EXAMPLE.replace("halfSpreadBps: 10", "halfSpreadBps: -1"),
      /params\.halfSpreadBps: -1 is not allowed; allowed: .*Basis points, 0\.1 to 5000/,
    ],
    [
      "text where a number belongs",
      EXAMPLE.replace("halfSpreadBps: 10", 'halfSpreadBps: "5%"'),
      /params\.halfSpreadBps: "5%" is not a number; allowed: .*Basis points, 0\.1 to 5000/,
    ],
    ["a limit that must be said", EXAMPLE.replace("maxPosition: 20, ", ""), /limits\.maxPosition: missing/],
    ["an account id beyond u64", EXAMPLE.replace("551615", "551616"), /accountId: .*from 0 to 18446744073709551615/],
  ])("%s", async (_name, text, expected) => {
    const faults = await faultsOf(text);
    expect(faults.join("\n")).toMatch(expected);
  });

  it("a premium book is none unless it is written, fits into maxPosition, and says how much it may lose", async () => {
    const withBook = (book: string) => `${EXAMPLE}        premiumBook: ${book}\n`;
    const [plain, booked] = [
      await load(EXAMPLE),
      await load(withBook("{ capital: 100, maxContracts: 20, maxLoss: 5 }")),
    ];
    const [none, some] = [plain, booked].map(({ accounts }) => accounts[0]?.markets[0]);
    expect(none?.premiumBook).toBeNull();
    expect(some?.premiumBook).toEqual({
      capital: 100_000_000n,
      maxContracts: 20_000_000n,
      maxLoss: 5_000_000n,
      kellyShare: 0.25,
    });
    expect(some?.hash).not.toBe(none?.hash);
    expect(await faultsOf(withBook("{ capital: 100, maxContracts: 20.1, maxLoss: 5 }"))).toEqual([
      expect.stringMatching(/premiumBook\.maxContracts: is above limits\.maxPosition, 20/),
    ]);
    expect(await faultsOf(withBook("{ capital: 100, maxContracts: 1 }"))).toEqual([
      expect.stringMatching(/premiumBook\.maxLoss/),
    ]);
  });

  it("a print schedule is none unless it is written, and knows its zone, its time and each date", async () => {
    const withTimes = (times: string) => `${EXAMPLE}        printSchedule: ${times}\n`;
    const right = "{ timeZone: America/New_York, at: 09:05, skip: [2026-12-25, 2028-02-29] }";
    const [plain, timed] = [await load(EXAMPLE), await load(withTimes(right))];
    const [none, some] = [plain, timed].map(({ accounts }) => accounts[0]?.markets[0]);
    expect(none?.printSchedule).toBeNull();
    expect(some?.printSchedule).toEqual({
      timeZone: "America/New_York",
      at: "09:05",
      skip: ["2026-12-25", "2028-02-29"],
    });
    expect(some?.hash).not.toBe(none?.hash);
    const wrong = await faultsOf(withTimes('{ timeZone: Mars, at: "24:05", skip: [2026-02-29, 25.12.2026] }'));
    expect(wrong).toEqual([
      expect.stringMatching(/timeZone: "Mars" is not allowed; must be the name of a time zone, as America\/New_York/),
      expect.stringMatching(/at: "24:05" is not allowed; must be a time of day from 00:00 to 23:59/),
      expect.stringMatching(/skip\[0\]: "2026-02-29" is not allowed; must be a date of the calendar/),
      expect.stringMatching(/skip\[1\]: "25\.12\.2026" is not allowed; must be a date/),
    ]);
    expect(await faultsOf(withTimes("{ timeZone: UTC, at: 9:05 }"))).toEqual([expect.stringMatching(/at: "9:05"/)]);
    expect(await faultsOf(withTimes("{ timeZone: UTC }"))).toEqual([expect.stringMatching(/at: missing/)]);
  });

  it("a shadow is checked as what trades is, leaves its hash alone, and is none of a fleet", async () => {
    const withShadow = (shadow: string) => `${EXAMPLE}        shadow: ${shadow}\n`;
    const right = "{ strategy: glft, params: { size: 0.5, maxInventory: 5 }, latencyMs: 50 }";
    const [plain, shadowed] = [await load(EXAMPLE), await load(withShadow(right))];
    const [none, some] = [plain, shadowed].map(({ accounts }) => accounts[0]?.markets[0]);
    expect(none?.shadow).toBeNull();
    expect(some?.shadow).toMatchObject({
      strategy: { name: "glft", params: { maxInventory: 5_000_000n } },
      collateral: 100_000_000_000n,
      queueModel: "riskAverse",
      latencyMs: 50,
    });
    expect(some?.hash).toBe(none?.hash);
    expect(await faultsOf(withShadow("{ strategy: glft, params: { size: half, maxInventory: 5 } }"))).toEqual([
      expect.stringMatching(/^bot\.yaml:14:\d+: accounts\[0\]\.markets\[0\]\.shadow\.params\.size/),
    ]);
    expect(await faultsOf(withShadow("{ params: {} }"))).toEqual([expect.stringMatching(/shadow\.strategy/)]);
    const inFleet = `${withShadow(right)}fleet: { databaseUrlFile: db, node: a }\n`;
    expect(await faultsOf(inFleet)).toEqual([expect.stringMatching(/shadow: is not allowed with fleet/)]);
  });

  it("a devnet's configuration is one fault, and no list of keys that a bot does not have", async () => {
    await expect(load("chainId: devnet\nmarkets: []\n")).rejects.toThrow(
      "this is a devnet's configuration; a bot's is needed, which names it at venue.embedded",
    );
  });

  it("faults of single values hide none of the rules that join several", async () => {
    const [, account = ""] = EXAMPLE.split("accounts:\n");
    const [, market = ""] = account.split("    markets:\n");
    const text = EXAMPLE.replace("devnet", "mainnet").replace("    agentKeyFile: agent.key\n", "");
    const faults = await faultsOf(`${text.replace("maxLoss: 500", "maxLoss: much")}${market}${account}bogus: 1\n`);
    expect(faults.map((fault) => fault.split(": ")[1])).toEqual([
      "venue.chainId",
      "accounts[0].agentKeyFile",
      "accounts[0].markets[0].limits.maxLoss",
      "accounts[0].markets[1].marketId",
      "accounts[1].accountId",
      "bogus",
    ]);
  });

  it("the chain id is that of the embedded exchange", async () => {
    const embedding = (name: string) => EXAMPLE.replace("validatorUrl: http://127.0.0.1:18080/", `embedded: ${name}`);
    expect((await load(embedding("venue-v4:devnet:chain-2"))).venue.kind).toBe("embedded");
    expect(await faultsOf(embedding("other"))).toEqual([
      expect.stringMatching(/venue\.chainId: is not the embedded devnet's; set it to other$/),
    ]);
  });

  it("faults of the embedded exchange come with those of the file that names it", async () => {
    const text = EXAMPLE.replace("validatorUrl: http://127.0.0.1:18080/", "embedded: no-such").replace(": 500", ": -1");
    const faults = await faultsOf(text);
    expect(faults).toHaveLength(2);
    expect(faults.join("\n")).toMatch(/no-such:1:1: no such file/);
  });

  it("faults of schema and parameters come at once, in the order of the file", async () => {
    const text = EXAMPLE.replace("halfSpreadBps: 10", "halfSpreadBps: ten")
      .replace("http://127.0.0.1:18080/", "ftp://x")
      .replace("maxLoss: 500", "maxLos: 500");
    const faults = await faultsOf(text);
    expect(faults.map((fault) => fault.split(": ")[1])).toEqual([
      "venue.validatorUrl",
      "accounts[0].markets[0].params.halfSpreadBps",
      expect.stringMatching(/limits/),
      expect.stringMatching(/limits/),
    ]);
  });
});

describe("for a process that trades nothing", () => {
  const read = (text: string) => readWithoutMarkets("/etc/quoin/bot.yaml", disk(text), readEmbedded);

  it("it is the whole file, but for its markets", async () => {
    const { accounts, settings: _, ...rest } = await load(EXAMPLE);
    const without = accounts.map(({ markets: _markets, ...account }) => account);
    expect(read(EXAMPLE)).toEqual({ ...rest, accounts: without });
  });

  it("a strategy that is not there is no fault; anything else is", () => {
    expect(read(EXAMPLE.replace("fixed-spread", "./mine.ts")).accounts).toHaveLength(1);
    expect(() => read(EXAMPLE.replace("maxLoss: 500", "maxLos: 500"))).toThrow(ConfigError);
    expect(() => read(EXAMPLE.replace("agent.key", "agent.key\n    watchdogKeyFile: agent.key"))).toThrow("used twice");
  });
});
