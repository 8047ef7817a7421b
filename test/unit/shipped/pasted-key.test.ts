// A key pasted where a file is wanted is found in no output of any command.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quoinDone } from "../../support/quoin.ts";

/** One of letters and digits, one that reads as a number. */
const KEY = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const DIGITS = "9061019000050600084400492002004444905697032691970300003100070060";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "quoin-pasted-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const rows = {
  agentKeyFile: "agent.key",
  watchdogKeyFile: "watchdog.key",
  ledger: "var/quoin.sqlite",
  embedded: null as string | null,
  strategy: "fixed-spread",
};

function config(changes: Partial<typeof rows>): string {
  const { agentKeyFile, watchdogKeyFile, ledger, embedded, strategy } = { ...rows, ...changes };
  const at = embedded === null ? 'validatorUrl: "http://127.0.0.1:9"' : `embedded: ${embedded}`;
  const file = join(folder, "bot.yaml");
  writeFileSync(
    file,
    `venue: { chainId: "venue-v4:devnet:chain-2", ${at} }
accounts:
  - accountId: 12
    agentKeyFile: ${agentKeyFile}
    watchdogKeyFile: ${watchdogKeyFile}
    markets:
      - marketId: 1
        strategy: ${strategy}
        params: { halfSpreadBps: 10, size: 1 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
ledger: { file: ${ledger} }
`,
  );
  return file;
}

/** Neither the key nor a part of it that would help anybody. */
function expectNoKey(said: string): void {
  for (const key of [KEY, DIGITS, String(BigInt(`0x${KEY}`))])
    for (let at = 0; at + 16 <= key.length; at += 1) expect(said).not.toContain(key.slice(at, at + 16));
}

test.each<[string, Partial<typeof rows>]>([
  ["agentKeyFile", { agentKeyFile: KEY }],
  ["agentKeyFile, quoted", { agentKeyFile: `"${KEY}"` }],
  ["agentKeyFile, with 0x, which YAML reads as a number", { agentKeyFile: `0x${KEY}` }],
  ["agentKeyFile, of digits alone, which YAML reads as a number", { agentKeyFile: DIGITS }],
  ["agentKeyFile, below a folder", { agentKeyFile: `keys/${KEY}` }],
  ["agentKeyFile, as a mapping", { agentKeyFile: `{ ${KEY}: 1 }` }],
  ["watchdogKeyFile", { watchdogKeyFile: KEY }],
  ["ledger.file", { ledger: KEY }],
  ["venue.embedded", { embedded: KEY }],
  ["strategy", { strategy: `a${KEY.slice(1)}` }],
])("%s", async (_, changes) => {
  const { code, stdout, stderr } = await quoinDone(["run", "--config", config(changes)]);
  expect(code).toBe(2);
  expectNoKey(stdout + stderr);
});

test.each([
  ["check", "--config", KEY],
  ["status", "--config", KEY],
  ["keygen", "--out", KEY],
  ["keygen", "--out", `0x${KEY}`],
  [KEY],
])("quoin %s %s", async (...words) => {
  const { code, stdout, stderr } = await quoinDone(words);
  expect(code).toBe(2);
  expectNoKey(stdout + stderr);
});
