// Scores of 16 settings of `glft`, which a proof draws again: a row of scores.json has all of them in one world of the daily market, an hour
// each; bench/tune-scores.ts made it.

import { readFileSync } from "node:fs";
import { meanOf } from "../../../../src/backtest/summary.ts";

export type Table = readonly (readonly number[])[];

export const { scores }: { readonly scores: Table } = JSON.parse(
  readFileSync(new URL("scores.json", import.meta.url), "utf8"),
);
export const SETTINGS = 16;
export const truth = Array.from({ length: SETTINGS }, (_, setting) => meanOf(scores.map((row) => row[setting] ?? 0)));
/** No setting is better than another, and all else is as real runs have it: tails, and what worlds share. */
export const centered: Table = scores.map((row) => row.map((score, setting) => score - (truth[setting] ?? 0)));
