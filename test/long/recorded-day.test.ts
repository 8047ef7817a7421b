// A day of the demo, recorded in virtual time over two swaps of the strategy, a kill and a stop, comes out again bit for bit, within 100 MB a
// market.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordSession } from "../../bench/recorded-session.ts";
import { readRecording } from "../../src/bot/recording/reader.ts";
import { replay } from "../../src/bot/service/replay/replay.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";
import { loadConfiguration } from "../../src/sim/configuration.ts";
import { PROJECT } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";

const DEMO = join(PROJECT, "config/demo.yaml");
const HOURS = 24;
const BYTES_MAX = 100e6;

test("a day comes out again", { timeout: 90 * 60_000 }, async () => {
  const folder = scratchFolder("recorded-day");
  const { bot, devnet } = await loadConfiguration(DEMO, systemFiles);
  const wider = [{ path: "accounts.12.markets.1.params.halfSpreadBps", value: 6 }];
  const other = (await loadConfiguration(DEMO, systemFiles, wider)).bot;
  if (devnet === null) throw new RangeError("the demo has a devnet");
  const events = [
    { atHour: 0.3 * HOURS, kind: "swap", to: other },
    { atHour: 0.5 * HOURS, kind: "kill" },
    { atHour: 0.7 * HOURS, kind: "swap", to: bot },
    { atHour: 0.8 * HOURS, kind: "stop" },
  ] as const;
  await recordSession(devnet, { bot, hours: HOURS, seed: 1n, folder, events });
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes / bot.accounts.flatMap(({ markets }) => markets).length).toBeLessThan(BYTES_MAX);
  const differences: unknown[] = [];
  const { turns } = await replay(readRecording(folder), null, (found) => differences.push(found) < 1);
  expect(differences).toEqual([]);
  expect(turns).toBeGreaterThan(10_000 * HOURS);
});
