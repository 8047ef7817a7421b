// What an emergency command reads of a file: as the whole file says it, and the same where the rest is wrong.

import { describe, expect, test } from "vitest";
import { readEmergencyConfig } from "../../../../src/bot/config/emergency.ts";
import { readBotConfig } from "../../../../src/bot/config/load.ts";
import { ConfigError, formatFault } from "../../../../src/kernel/yaml/fault.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";

const FILE = "/etc/quoin/bot.yaml";
const RIGHT = `venue: { chainId: "venue-v4:devnet:chain-2", validatorUrl: "http://127.0.0.1:18080/" }
accounts:
  - accountId: 18446744073709551615
    agentKeyFile: agent.key
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.5 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
server: { port: 9999 }
`;
const files = (text: string) => ({
  ...systemFiles,
  read: (path: string) => (path === FILE ? text : systemFiles.read(path)),
});
const read = (text: string) => readEmergencyConfig(FILE, files(text));
const noDevnet = (): never => {
  throw new Error("nothing is embedded");
};

test("of a file that is right it is what the whole file says", async () => {
  const { venue, server, ledger, accounts } = await readBotConfig(FILE, files(RIGHT), noDevnet);
  const emergency = read(RIGHT);
  expect(emergency).toMatchObject({ venue, server, ledger });
  const [account] = accounts;
  expect(emergency.accounts).toEqual([
    {
      accountId: account?.accountId,
      paper: null,
      agentKeyFile: "/etc/quoin/agent.key",
      limits: account?.limits,
      markets: [{ marketId: 1, limits: account?.markets[0]?.limits }],
    },
  ]);
});

describe("wrong elsewhere", () => {
  const { accounts: _, ...rest } = read(RIGHT);

  test.each<[string, string, string]>([
    ["a strategy that is not there", "fixed-spread", "gone"],
    ["an unknown key", "server:", "surprise: 1\nserver:"],
    ["a log level that is none", "server:", "log: { level: loud }\nserver:"],
  ])("%s changes nothing", (_name, from, to) => {
    expect(read(RIGHT.replace(from, to))).toEqual({ ...rest, accounts: read(RIGHT).accounts });
  });

  test("limits that cannot be read are not known, and a market that cannot be read may be any", () => {
    expect(read(RIGHT.replace("maxPosition: 20", "maxPosition: much")).accounts[0]?.markets).toEqual([
      { marketId: 1, limits: null },
    ]);
    expect(read(RIGHT.replace("marketId: 1", "marketId: one")).accounts[0]?.markets).toBe(null);
  });
});

test.each([
  ["http://127.0.0.1:18080/", "nowhere", "venue.validatorUrl: "],
  ["18446744073709551615", "-1", "accounts[0].accountId: "],
  ["agent.key", "7", "accounts[0].agentKeyFile: "],
  ["9999", "99999", "server.port: "],
])("what is needed must be right: %s is not %s", (from, to, fault) => {
  try {
    read(RIGHT.replace(from, to));
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.faults.map(formatFault).join("\n")).toContain(fault);
  }
});
