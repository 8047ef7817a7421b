// A real index at speed: a print each 0.15 s from the file beside the project, more than a hundred of them lived through.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { hear } from "../support/ear.ts";
import { PROJECT } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { endScenes, fillsIn, metricsOf, openOrdersOf, startDaemon, startScene, streamUrlOf } from "./daemon.ts";

const FILE = resolve(PROJECT, "../shared/data/price-feed-us.csv");
const missing = existsSync(FILE) ? "" : " (skipped: ../shared/data/price-feed-us.csv is not here)";
const PRINTS = 100;
/** The prints take 15 s where the machine keeps up. */
const SLOW_MACHINE_MS = 120_000;

const sockets: WebSocket[] = [];

afterEach(async () => {
  for (const socket of sockets) socket.close();
  await endScenes();
});

// Skipped only where ../shared is missing, as in a user's clone, with a line that says so; CI has it and runs this.
it.skipIf(missing !== "")(`a hundred prints of the US home-price index${missing}`, async () => {
  const scene = await startScene({
    oracle: `{ source: csv, file: ${FILE}, seriesId: "5826765", printEverySecs: 0.15, validForSecs: 0.2 }`,
    flow: "{ enabled: true, noiseTakersPerSec: 8, informedShare: 0.05, makers: 1, takerSize: 0.5 }",
  });
  const { validatorUrl } = scene;
  const ear = await hear(streamUrlOf({ validatorUrl }), sockets, [{ channel: "oracleUpdates", market_id: 1 }]);
  const { process, url } = await startDaemon(scene);
  const seen = () => withoutRepeats(ear.of("oraclePriceUpdate").map(({ price }) => Number(price) / 1e8));
  await until(`${PRINTS} prints`, () => seen().length > PRINTS, SLOW_MACHINE_MS);
  expect(indexOfRun(seriesPrices(), seen()), "the prints seen are a run of the file's").toBeGreaterThanOrEqual(0);
  const metrics = await metricsOf(url);
  expect(fillsIn(metrics), "fills").toBeGreaterThan(0);
  expect(metrics.get('quoin_latch_active{account="12",market="",kind="mismatch"}')).toBe(0);
  expect(metrics.get('quoin_latch_active{account="12",market="",kind="foreignActivity"}')).toBe(0);
  expect(await process.end("SIGTERM")).toBe(0);
  expect(await openOrdersOf(validatorUrl)).toEqual([]);
});

/** Prices of the file, oldest first. */
const seriesPrices = (): readonly number[] =>
  withoutRepeats(
    readFileSync(FILE, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((row) => Number(row.split(",")[2])),
  );

/** Without the days that repeat the one before. */
const withoutRepeats = (prices: readonly number[]): readonly number[] =>
  prices.filter((price, day) => price !== prices[day - 1]);

/** Where `run` stands in `all`; -1 when it does not. */
const indexOfRun = (all: readonly number[], run: readonly number[]): number =>
  all.findIndex((_, start) => run.every((price, at) => all[start + at] === price));
