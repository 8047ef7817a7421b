// The demo, recorded in virtual time: two swaps of the strategy's parameters, a kill and a stop, each followed by a start.

import { join } from "node:path";
import { recordSession } from "../../bench/recorded-session.ts";
import type { BotConfig } from "../../src/bot/config/config.ts";
import { loadConfiguration } from "../../src/configuration.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";
import { PROJECT } from "./quoin.ts";

export const DEMO = join(PROJECT, "config/demo.yaml");

/** `other`: the configuration that it is swapped to, 9 bps wide in market 1. */
export async function recordDemo(
  hours: number,
  folder: string,
): Promise<{ readonly bot: BotConfig; readonly other: BotConfig }> {
  const { bot, devnet } = await loadConfiguration(DEMO, systemFiles);
  const wider = [{ path: "accounts.12.markets.1.params.halfSpreadBps", value: 9 }];
  const { bot: other } = await loadConfiguration(DEMO, systemFiles, wider);
  if (devnet === null) throw new RangeError("the demo has a devnet");
  const events = [
    { atHour: 0.3 * hours, kind: "swap", to: other },
    { atHour: 0.5 * hours, kind: "kill" },
    { atHour: 0.7 * hours, kind: "swap", to: bot },
    { atHour: 0.8 * hours, kind: "stop" },
  ] as const;
  await recordSession(devnet, { bot, hours, seed: 1n, folder, events });
  return { bot, other };
}
