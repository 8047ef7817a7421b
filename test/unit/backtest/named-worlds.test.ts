// Named worlds: what each changes of the devnet that is embedded, and what a file of them is refused for.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Cell, readCells } from "../../../src/backtest/grid.ts";
import { cellsInWorlds, type InWorlds } from "../../../src/backtest/named-worlds.ts";
import { loadConfiguration } from "../../../src/configuration.ts";
import type { DevnetConfig } from "../../../src/devnet/config/config.ts";
import { ConfigError, formatFault } from "../../../src/kernel/yaml/fault.ts";
import { filesOf, systemFiles } from "../../../src/kernel/yaml/files.ts";
import { PROJECT } from "../../support/quoin.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { backtestFiles } from "./scene.ts";

const config = backtestFiles();
const [cell] = await readCells(config, [], systemFiles);

const SPAN = { days: 0.5, warmUpDays: 0.125 };

async function worldsIn(path: string, of: Cell | undefined = cell, span = SPAN): Promise<InWorlds> {
  if (of === undefined) throw new Error("there is no cell");
  return await cellsInWorlds(of, path, span, systemFiles);
}

/** The devnet of each world, by name, as a run loads it. */
async function devnetsOf(path: string, of?: Cell): Promise<ReadonlyMap<string | undefined, DevnetConfig>> {
  const found = new Map<string | undefined, DevnetConfig>();
  for (const { namedWorld, file, settings, sources } of (await worldsIn(path, of)).cells) {
    const texts = new Map(sources.map((source) => [source.path, source.text]));
    const { devnet } = await loadConfiguration(file, filesOf(texts), settings);
    if (devnet !== null) found.set(namedWorld, devnet);
  }
  return found;
}

function written(text: string): string {
  const path = join(scratchFolder("worlds"), "worlds.yaml");
  writeFileSync(path, text);
  return path;
}

const { devnet: configured } = await loadConfiguration(config, systemFiles);

test("an empty world is the devnet as configured; others change what they name, in every market", async () => {
  const path = written(`none: {}
bare:
mixed:
  blockTimeMs: 500
  feeTiers: [{ assetClass: RealEstate, minVolume30d: 0, makerFeeBps: 0, takerFeeBps: 7 }]
  markets: { priceBandBps: 500, oracle: { volatilityPercent: { times: 3 } } }
  flow: { makers: { times: 2 }, takerSize: 0.25 }
`);
  const worlds = await devnetsOf(path);
  expect([...worlds.keys()]).toEqual(["none", "bare", "mixed"]);
  expect([worlds.get("none"), worlds.get("bare")]).toEqual([configured, configured]);
  const mixed = worlds.get("mixed");
  expect(mixed?.markets).toEqual(
    configured?.markets.map((market) => ({
      ...market,
      priceBandBps: 500,
      oracle: { ...market.oracle, volatilityPercent: 0.15 },
    })),
  );
  expect(mixed?.flow, "makers are left to their default, which is doubled").toEqual({
    ...configured?.flow,
    makers: 4,
    takerSize: 250_000n,
  });
  expect([mixed?.blockTimeMs, mixed?.feeTiers.length, mixed?.accounts]).toEqual([500, 1, configured?.accounts]);
});

test.each([
  [
    "an unknown key, once for all markets",
    "a: { markets: { oracle: { volatilityPercnt: 1 } } }",
    ["1:27: a.markets.oracle.volatilityPercnt: unknown key; did you mean volatilityPercent?"],
  ],
  [
    "every fault of every world",
    "a: { flow: { makers: 1.5 } }\nb: { flow: { makers: 21 } }",
    ["1:14: a.flow.makers: 1.5 is", "2:14: b.flow.makers: 21 is"],
  ],
  [
    "what a run decides itself",
    "a: { seed: 8, markets: { marketId: 3 } }",
    ["1:6: a.seed: a world cannot change this key;", "1:26: a.markets.marketId: a world cannot change the marketId"],
  ],
  [
    "a factor that is no number, and one of nothing",
    "a: { flow: { makers: { times: x }, takerSize: { times: 2 } } }",
    ["1:24: a.flow.makers.times: must be", "1:49: a.flow.takerSize.times: multiplies"],
  ],
  [
    "a list in place of a world, and of markets",
    "a: []\nb: { markets: [] }",
    ["1:1: a: must be", "2:6: b.markets: must be"],
  ],
  [
    "no share of the run",
    "a: { flow: { makers: { ofRun: 1.5 } } }",
    ["1:24: a.flow.makers.ofRun: must be from 0 to 1"],
  ],
  ["a name that no column could have", "a b: {}", ["1:1: a b: the name of a world"]],
  ["no world", "[]", ["1:1: must be a mapping of names"]],
  ["broken text", "a: {", ["1:5: "]],
])("%s is refused at its place", async (_, text, starts) => {
  const path = written(text);
  const error = await devnetsOf(path).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ConfigError);
  const faults = (error as ConfigError).faults.map((fault) => formatFault(fault).replace(`${path}:`, ""));
  expect(faults.map((fault, nth) => fault.slice(0, starts[nth]?.length))).toEqual(starts);
});

test("a file that is not there is refused", async () => {
  await expect(devnetsOf(`${config}.nowhere`)).rejects.toThrow(/nowhere:1:1: no such file/);
});

test("a devnet named by a setting is the one that changes", async () => {
  const other = join(scratchFolder("other"), "devnet.yaml");
  writeFileSync(
    other,
    systemFiles.read(join(config, "../devnet.yaml")).replace("blockTimeMs: 400", "blockTimeMs: 1000"),
  );
  const [of] = await readCells(config, [{ path: "venue.embedded", values: [other] }], systemFiles);
  const worlds = await devnetsOf(written("a: { flow: { makers: 3 } }"), of);
  expect(worlds.get("a")).toMatchObject({ blockTimeMs: 1000, flow: { makers: 3 } });
});

test("a moment named by its share of the run is in the counted days, whatever their length", async () => {
  const path = written("a: { markets: { oracle: { clockChange: { afterSecs: { ofRun: 0.5 }, bySecs: -3605 } } } }");
  const changeOf = async (span: typeof SPAN) => {
    const [{ sources } = { sources: [] }] = (await worldsIn(path, cell, span)).cells;
    const text = sources.find((source) => source.path.endsWith("devnet.yaml"))?.text ?? "";
    return JSON.parse(text).markets[0].oracle.clockChange;
  };
  expect(await changeOf(SPAN)).toEqual({ afterSecs: (0.125 + 0.25) * 86_400, bySecs: -3605 });
  expect(await changeOf({ days: 4, warmUpDays: 10 })).toEqual({ afterSecs: 12 * 86_400, bySecs: -3605 });
});

/** The cell of the configuration that `config/worlds.yaml` is made for. */
async function shippedCell(name: string): Promise<Cell | undefined> {
  const file = join(PROJECT, "config/demo.yaml");
  const limits = { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 };
  const markets = [{ marketId: 1, strategy: "glft", params: { size: 0.5, levels: 2, maxInventory: 8 }, limits }];
  const daily = [
    { path: "venue.embedded", values: ["devnet-daily.yaml"] },
    { path: "accounts.12.markets", values: [markets] },
  ];
  return (await readCells(file, name === "demo" ? [] : daily, systemFiles))[0];
}

const shippedWorlds = join(PROJECT, "config/worlds.yaml");

test.each([
  ["demo", { days: 0.01, warmUpDays: 0.0025 }],
  ["devnet-daily", { days: 1, warmUpDays: 0.25 }],
  ["devnet-daily", { days: 2, warmUpDays: 10 }],
])("the clock change of config/worlds.yaml moves prints of %s in %o", async (name, span) => {
  expect((await worldsIn(shippedWorlds, await shippedCell(name), span)).inert).toEqual([]);
});

test("a warning names a clock change that moves no print of the runs, and the length of a run that it would change", async () => {
  const { cells, inert } = await worldsIn(shippedWorlds, await shippedCell("devnet-daily"), SPAN);
  expect(cells).toHaveLength(6);
  // The next print is due 24 h after the start, and 3605 s earlier by its new clock.
  expect(inert).toEqual([
    "world clock-change: its clock change moves no print, since the first one after it would come with --days 0.834",
  ]);
  const hour = written("a: { markets: { oracle: { clockChange: { afterSecs: 0, bySecs: 3600 } } } }");
  expect((await worldsIn(hour, await shippedCell("demo"))).inert).toEqual([
    "world a: its clock change moves no print, since it is by whole steps between prints",
  ]);
});

test.each(["demo", "devnet-daily"])("config/worlds.yaml fits %s", async (name) => {
  const worlds = await devnetsOf(shippedWorlds, await shippedCell(name));
  expect([...worlds.keys()]).toEqual(["as-configured", "calm", "trending", "thin", "gapping-prints", "clock-change"]);
  const texts = [...worlds.values()].map((devnet) =>
    JSON.stringify(devnet, (_, of) => (typeof of === "bigint" ? `${of}` : of)),
  );
  expect(new Set(texts).size).toBe(worlds.size);
});
