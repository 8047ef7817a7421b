// A bot's configuration and its devnet's, read as one.

import { expect, test } from "vitest";
import { loadConfiguration } from "../../src/configuration.ts";
import { ConfigError, formatFault } from "../../src/kernel/yaml/fault.ts";
import { type Files, systemFiles } from "../../src/kernel/yaml/files.ts";

const BOT = `venue:
  chainId: venue-v4:devnet:chain-2
  embedded: devnet.yaml
accounts:
  - accountId: 12
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.5 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
`;
const DEVNET = systemFiles.read(new URL("../../config/devnet.yaml", import.meta.url).pathname);

/** Configuration files from memory, strategies from the checkout. */
const load = (bot: string, devnet: string) => {
  const texts: Readonly<Record<string, string>> = { "/etc/bot.yaml": bot, "/etc/devnet.yaml": devnet };
  const files: Files = { ...systemFiles, read: (path) => texts[path] ?? systemFiles.read(path) };
  return loadConfiguration("/etc/bot.yaml", files);
};

async function faultsOf(bot: string, devnet: string): Promise<readonly string[]> {
  const error = await load(bot, devnet).catch((thrown: unknown) => thrown);
  return error instanceof ConfigError ? error.faults.map(formatFault) : [];
}

test("law: an embedded exchange comes with the bot that names it; without one there is none", async () => {
  const both = await load(BOT, DEVNET);
  expect(both.bot.venue).toMatchObject({ kind: "embedded", chainId: both.devnet?.chainId });
  const remote = BOT.replace("embedded: devnet.yaml", "validatorUrl: http://127.0.0.1:1").replace(
    "    markets:",
    "    agentKeyFile: a.key\n    markets:",
  );
  expect((await load(remote, DEVNET)).devnet).toBeNull();
});

test("law: the faults of both files come at once, each at its own place", async () => {
  const faults = await faultsOf(BOT.replace(": 500", ": -1"), DEVNET.replace("seed:", "sed:"));
  expect(faults).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^\/etc\/bot\.yaml:10:.*maxLoss/),
      expect.stringMatching(/^\/etc\/devnet\.yaml:.*unknown key/),
    ]),
  );
});

test("forbidden: a bot of another chain than the exchange it embeds", async () => {
  expect(await faultsOf(BOT.replace("chain-2", "chain-9"), DEVNET)).toEqual([
    expect.stringMatching(/^\/etc\/bot\.yaml:2:12: venue\.chainId: is not the embedded devnet's; set it to /),
  ]);
});
