// A day of the demo, recorded in virtual time over two swaps of the strategy, a kill and a stop, comes out again bit for bit, within 100 MB a
// market.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordedIn } from "../../src/bot/recording/reader.ts";
import { replay } from "../../src/bot/service/replay/replay.ts";
import { recordDemo } from "../support/recorded-demo.ts";
import { scratchFolder } from "../support/scratch.ts";

const HOURS = 24;
const BYTES_MAX = 100e6;

test("a day comes out again", { timeout: 90 * 60_000 }, async () => {
  const folder = scratchFolder("recorded-day");
  const { bot } = await recordDemo(HOURS, folder);
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes / bot.accounts.flatMap(({ markets }) => markets).length).toBeLessThan(BYTES_MAX);
  const differences: unknown[] = [];
  const { turns } = await replay(recordedIn(folder), null, (found) => differences.push(found) < 1);
  expect(differences).toEqual([]);
  expect(turns).toBeGreaterThan(10_000 * HOURS);
});
