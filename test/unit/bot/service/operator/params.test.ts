// POST /params: what it takes, and that nothing passes here that the file may not hold or that loosens a limit.

import { beforeEach, describe, expect, test } from "vitest";
import type { BotConfig } from "../../../../../src/bot/config/config.ts";
import { readBotConfig } from "../../../../../src/bot/config/load.ts";
import type { Setting } from "../../../../../src/bot/config/setting.ts";
import { changedConfig, readParamsRequest } from "../../../../../src/bot/service/operator/params.ts";
import { systemFiles } from "../../../../../src/kernel/yaml/files.ts";

const FILE = `
venue: { chainId: venue-v4:devnet:chain-2, validatorUrl: "http://127.0.0.1:18080" }
accounts:
  - accountId: 12
    agentKeyFile: agent.key
    limits: { maxLoss: 900 }
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.5 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
`;
let file: string;
let running: BotConfig;
const read = (settings: readonly Setting[] = []): Promise<BotConfig> =>
  readBotConfig(
    "/etc/quoin/bot.yaml",
    { ...systemFiles, read: (path) => (path.endsWith("bot.yaml") ? file : systemFiles.read(path)) },
    () => ({ chainId: "" }),
    settings,
  );

beforeEach(async () => {
  file = FILE;
  running = await read();
});

type Body = Readonly<Record<string, unknown>>;
const readBody = (body: Body) => readParamsRequest(JSON.stringify({ reason: "a test", account: "12", ...body }));
async function change(body: Body): Promise<BotConfig | string> {
  const request = readBody(body);
  if ("kind" in request) return request.why;
  const done = await changedConfig(request, running, read);
  return "kind" in done ? done.why : done;
}
const marketOf = (config: BotConfig | string) => (config as BotConfig).accounts[0]?.markets[0];

test("a parameter within its bounds is set, the rest stays as the file has it", async () => {
  const { strategy, limits } = marketOf(await change({ market: 1, params: { halfSpreadBps: 12 } })) ?? {};
  expect(strategy?.params).toMatchObject({ halfSpreadBps: 12, size: 500_000n });
  expect(limits).toEqual(marketOf(running)?.limits);
});

test("a limit is lowered, of a market or of the account", async () => {
  const lowered = await change({ market: 1, limits: { maxPosition: 10 } });
  expect(marketOf(lowered)?.limits.maxPosition).toBe(10_000_000n);
  const account = (await change({ limits: { maxLoss: 300 } })) as BotConfig;
  expect(account.accounts[0]?.limits.maxLoss).toBe(300_000_000n);
});

test("what was set before stays set beside what is set now, and the newer value of one name holds", async () => {
  running = (await change({ market: 1, params: { halfSpreadBps: 12 } })) as BotConfig;
  running = (await change({ market: 1, limits: { maxPosition: 10 } })) as BotConfig;
  const last = (await change({ market: 1, params: { halfSpreadBps: 14 } })) as BotConfig;
  expect(marketOf(last)?.strategy.params).toMatchObject({ halfSpreadBps: 14 });
  expect(marketOf(last)?.limits.maxPosition).toBe(10_000_000n);
  expect(last.settings).toHaveLength(2);
});

describe("refused", () => {
  test("a parameter that fits only a looser limit of the file, which waits for SIGHUP", async () => {
    file = FILE.replace("maxOrderSize: 2", "maxOrderSize: 10");
    expect(await change({ market: 1, params: { size: 5 } })).toMatch(/^params.size: 5 is above maxOrderSize, 2/);
    expect(marketOf(await change({ market: 1, params: { size: 2 } }))?.strategy.params).toMatchObject({
      size: 2_000_000n,
    });
  });

  test.each<readonly [string, Body, RegExp]>([
    [
      "a limit above the running one",
      { market: 1, limits: { maxPosition: 21 } },
      /^maxPosition would let more pass .*SIGHUP$/,
    ],
    ["a limit that is looser lower", { market: 1, limits: { oracleGuardMs: 1 } }, /^oracleGuardMs would let more pass/],
    ["a limit of the account", { limits: { maxLoss: 901 } }, /^maxLoss would let more pass/],
    ["a limit taken away", { limits: { maxLoss: null } }, /maxLoss/],
    ["a parameter beyond its bounds", { market: 1, params: { halfSpreadBps: -1 } }, /halfSpreadBps: .*allowed/],
    ["an unknown parameter", { market: 1, params: { halfSpread: 1 } }, /did you mean halfSpreadBps|unknown parameter/],
    ["an unknown limit", { market: 1, limits: { maxPos: 1 } }, /maxPos/],
    ["another market", { market: 9, params: { size: 1 } }, /names nothing/],
    ["another account", { account: "13", limits: { maxLoss: 1 } }, /names nothing/],
    ["a parameter of no market", { params: { size: 1 } }, /say which/],
    ["a name that is a path", { market: 1, params: { "size.x": 1 } }, /the body must be/],
    ["nothing to set", { market: 1 }, /the body must be/],
    ["no reason", { reason: " ", market: 1, params: { size: 1 } }, /the body must be/],
    ["another key", { market: 1, parms: { size: 1 } }, /unknown key parms/],
  ])("%s", async (_, body, why) => {
    expect(await change(body)).toMatch(why);
  });

  test("while the file itself is wrong", async () => {
    file = FILE.replace("maxLoss: 900", "maxLoss: never");
    expect(await change({ market: 1, params: { size: 1 } })).toMatch(/accounts.*maxLoss/);
  });
});

test("a limit that the file has looser since is none of this request's: it waits for SIGHUP, as at every reload", async () => {
  file = FILE.replace("maxPosition: 20", "maxPosition: 30");
  expect(typeof (await change({ market: 1, params: { halfSpreadBps: 12 } }))).toBe("object");
});
