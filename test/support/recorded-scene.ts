// The short backtest's market, recorded in virtual time: prints every half minute, so a few minutes hold many blocks.

import { join } from "node:path";
import { recordSession } from "../../bench/recorded-session.ts";
import { loadConfiguration } from "../../src/configuration.ts";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";
import { scratchFolder } from "./scratch.ts";

const FROM_MS = 1_790_000_000_000;

/** `config`: a bot's file with `embedded`. Resolves with the folders of `count` recordings, each on another day. */
export async function recordedScene(config: string, count: number, hours: number): Promise<readonly string[]> {
  const { bot, devnet } = await loadConfiguration(config, systemFiles);
  if (devnet === null) throw new RangeError("the scene has a devnet");
  const root = scratchFolder("recordings");
  const folders: string[] = [];
  for (let day = 0; day < count; day += 1) {
    const folder = join(root, `day-${day + 1}`);
    await recordSession(devnet, { bot, hours, seed: BigInt(day + 1), folder, startMs: FROM_MS + day * DAY_MS });
    folders.push(folder);
  }
  return folders;
}
