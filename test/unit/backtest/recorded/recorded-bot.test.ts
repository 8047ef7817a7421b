// The bot of a recording: as it was at the start, ready to run again.

import { join } from "node:path";
import { expect, test } from "vitest";
import { recordSession } from "../../../../bench/recorded-session.ts";
import { recordedBot } from "../../../../src/backtest/recorded/recorded-bot.ts";
import { loadConfiguration } from "../../../../src/configuration.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";
import { PROJECT } from "../../../support/quoin.ts";
import { scratchFolder } from "../../../support/scratch.ts";
import { backtestFiles } from "../scene.ts";

const HALF = "accounts.12.markets.1.params.halfSpreadBps";

test("it has the accounts, strategies and limits of the start, and knows of the later change", async () => {
  const file = backtestFiles();
  const { bot, devnet } = await loadConfiguration(file, systemFiles);
  const { bot: other } = await loadConfiguration(file, systemFiles, [{ path: HALF, value: 9 }]);
  if (devnet === null) throw new Error("the scene has a devnet");
  const folder = scratchFolder("recorded-bot");
  await recordSession(devnet, {
    bot,
    hours: 0.01,
    seed: 1n,
    folder,
    events: [{ atHour: 0.005, kind: "swap", to: other }],
  });
  const { bot: again, isChanged } = await recordedBot(folder);
  expect(isChanged).toBe(true);
  expect(again.venue).toMatchObject({ chainId: bot.venue.chainId, readLagMaxMs: bot.venue.readLagMaxMs });
  const marketsOf = ({ accounts }: typeof bot) =>
    accounts.flatMap(({ accountId, limits, markets }) =>
      markets.map((market) => ({
        accountId,
        limits,
        market: { ...market, strategy: { name: market.strategy.name, params: market.strategy.params } },
      })),
    );
  expect(marketsOf(again)).toEqual(marketsOf(bot));
});

test("a recording without a change says so", async () => {
  expect((await recordedBot(join(PROJECT, "docs/sample-session.qrec"))).isChanged).toBe(false);
});
