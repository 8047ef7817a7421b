// What is wrong at the start is one clear line and the contract's exit code, and nothing was sent.

import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { environmentWithout } from "../support/file-system-without.ts";
import { operate } from "../support/operate.ts";
import { processDone, quoin, quoinDone } from "../support/quoin.ts";
import { metricsOf, OWNER, openOrdersOf, startDaemon } from "./daemon.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll({ accounts: `  - { accountId: 13, owner: "${OWNER}", masterAccountId: 12 }` });
let yaml: string;

beforeAll(async () => {
  yaml = readFileSync(scene.botConfig, "utf8");
});

async function runWith(text: string) {
  const file = join(scene.folder, "wrong.yaml");
  writeFileSync(file, text);
  const done = await quoinDone(["run", "--config", file]);
  expect(await openOrdersOf(scene.validatorUrl), "orders after a start that failed").toEqual([]);
  return { ...done, lines: done.stderr.trim().split("\n") };
}

describe("exit 2, one line", () => {
  it("a chain id that is not the exchange's", async () => {
    const { code, lines } = await runWith(yaml.replace("devnet:chain-2", "devnet:chain-3"));
    expect(code).toBe(2);
    expect(lines).toEqual([
      expect.stringMatching(/the exchange is venue-v4:devnet:chain-2, the configuration says venue-v4:devnet:chain-3/),
    ]);
  });

  it.each(["status", "cancel-all"])(
    "a chain id that is not the exchange's: %s says nothing of another's account",
    async (command) => {
      const file = join(scene.folder, "wrong.yaml");
      writeFileSync(file, yaml.replace("devnet:chain-2", "devnet:chain-3"));
      const { code, stdout, stderr } = await quoinDone([command, "--config", file]);
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^quoin: the exchange is venue-v4:devnet:chain-2, .*; nothing was sent\n$/);
    },
  );

  it("a key file that others can read", async () => {
    const key = join(scene.folder, "open.key");
    writeFileSync(key, readFileSync(join(scene.folder, "agent.key")));
    chmodSync(key, 0o644);
    const { code, lines } = await runWith(yaml.replace("agent.key", "open.key"));
    expect(code).toBe(2);
    expect(lines).toEqual([expect.stringMatching(/open\.key has mode 0644/)]);
    expect(lines.join("")).not.toContain(readFileSync(key, "utf8").trim());
  });

  it.each([
    ["of a newer version", "PRAGMA user_version = 99", /has version 99, this program knows \d+/],
    ["of another program", "CREATE TABLE theirs (x)", /ledger\.sqlite is a database of another program/],
  ])("a ledger %s, which stays as it is", async (_, sql, says) => {
    const ledger = new DatabaseSync(join(scene.folder, "ledger.sqlite"));
    ledger.exec(sql);
    ledger.close();
    const { code, lines } = await runWith(yaml.replace("var/quoin.sqlite", "ledger.sqlite"));
    expect(code).toBe(2);
    expect(lines).toEqual([expect.stringMatching(says)]);
    rmSync(join(scene.folder, "ledger.sqlite"));
  });

  it.for([
    ["locks", "has no file locks, so that two processes could write to it"],
    ["memory", "cannot share memory between processes"],
  ] as const)("a ledger on a file system without %s: run and doctor name the cause", async ([what, why], { skip }) => {
    const env = environmentWithout(what) ?? skip("no C compiler, or not Linux");
    const fault = new RegExp(
      `ledger\\.file: .*var/quoin\\.sqlite cannot be used: its file system ${why}.*; put it on a local disk`,
    );
    const run = await processDone(["run", "--config", scene.botConfig], { env });
    expect(run.stderr.trim().split("\n")).toEqual([expect.stringMatching(fault)]);
    expect(run.code).toBe(2);
    const { code, stdout } = await processDone(["doctor", "--config", scene.botConfig, "--json"], { env });
    expect(code).toBe(1);
    const found = stdout.split("\n").find((line) => line.includes('"check":"ledger"'));
    expect(JSON.parse(found ?? "{}")).toMatchObject({
      ok: false,
      severity: "fail",
      detail: expect.stringMatching(fault),
    });
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("check tells of key files that the daemon would refuse, and of none that are not here", async () => {
    const file = join(scene.folder, "keys.yaml");
    const copy = join(scene.folder, "copy.key");
    const open = join(scene.folder, "group.key");
    for (const path of [copy, open])
      writeFileSync(path, readFileSync(join(scene.folder, "agent.key")), { mode: 0o600 });
    chmodSync(open, 0o640);
    const check = async (keys: string) => {
      writeFileSync(file, yaml.replace("agentKeyFile: agent.key", keys));
      return await quoinDone(["check", "--config", file]);
    };
    expect((await check("agentKeyFile: absent.key")).code).toBe(0);
    const twice = await check("agentKeyFile: agent.key\n    watchdogKeyFile: copy.key");
    expect(twice).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/:\d+:\d+: accounts\[0\]\.watchdogKeyFile: .*used twice/),
    });
    const shared = await check("agentKeyFile: group.key");
    expect(shared).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/accounts\[0\]\.agentKeyFile: .*has mode 0640/),
    });
  });

  it("a key file that is not there", async () => {
    const { code, lines } = await runWith(yaml.replace("agent.key", "absent.key"));
    expect(code).toBe(2);
    expect(lines).toEqual([expect.stringMatching(/absent\.key does not exist/)]);
  });

  it("a key that is approved on another account of the owner too, which doctor tells of before", async () => {
    const key = join(scene.folder, "shared.key");
    const { stdout } = await quoinDone(["keygen", "--out", key]);
    const body = { pubkey: stdout.trim(), name: "shared", expiresAt: 1_924_905_600 };
    for (const id of [12, 13])
      expect((await operate(scene, "POST", `/accounts/${id}/agents`, body)).ok, `approved on ${id}`).toBe(true);
    const text = yaml.replace("agent.key", "shared.key");
    const { code, lines } = await runWith(text);
    expect(code).toBe(2);
    expect(lines).toEqual([expect.stringMatching(/agent key .* of account 12 is approved on account 13 too/)]);
    const { stdout: told } = await quoinDone(["doctor", "--config", join(scene.folder, "wrong.yaml"), "--json"]);
    expect(told).toMatch(/"check":"otherAccounts","ok":false,"severity":"fail","detail":".*approved on account 13 too/);
  });

  it("faults of the file, all of them, with line and column", async () => {
    const { code, lines } = await runWith(
      yaml.replace("halfSpreadBps: 2", "halfSpreadBps: -2").replace("maxLoss: 500", "maxLos: 500"),
    );
    expect(code).toBe(2);
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const line of lines) expect(line).toMatch(/wrong\.yaml:\d+:\d+: accounts\[0\]\.markets\[0\]\.(params|limits)/);
  });
});

describe("exit 1, one line", () => {
  it("an agent that is not approved", async () => {
    const key = join(scene.folder, "stranger.key");
    const { stdout } = await quoinDone(["keygen", "--out", key]);
    const { code, lines } = await runWith(yaml.replace("agent.key", "stranger.key"));
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringContaining(`agent key ${stdout.trim()} is not approved on account 12 itself`)]);
  });

  it("an agent that is approved on the account's master alone: its CancelAllOrders would act there", async () => {
    const { code, lines } = await runWith(yaml.replace("accountId: 12", "accountId: 13"));
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/not approved on account 13 itself \(an approval on its master is not enough\)/),
    ]);
  });

  it("an agent that has expired", async () => {
    const key = join(scene.folder, "expired.key");
    const { stdout } = await quoinDone(["keygen", "--out", key]);
    const body = { pubkey: stdout.trim(), name: "old", expiresAt: 1_700_000_000 };
    const approved = await operate(scene, "POST", "/accounts/12/agents", body);
    expect(approved.ok).toBe(true);
    const { code, lines } = await runWith(yaml.replace("agent.key", "expired.key"));
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringContaining("has expired")]);
  });

  it("a port in use", async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    const { code, lines } = await runWith(yaml.replace("port: 0", `port: ${port}`));
    server.close();
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringContaining(`127.0.0.1:${port} is in use`)]);
  });

  it("a venue that does not answer", async () => {
    const { code, lines } = await runWith(yaml.replace(scene.validatorUrl, "http://127.0.0.1:9"));
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/the exchange cannot be read/)]);
  });

  it("a second daemon on the same key", async () => {
    const { process, url } = await startDaemon(scene);
    const { code, lines } = await quoinDone(["run", "--config", scene.botConfig]).then((done) => ({
      ...done,
      lines: done.stderr.trim().split("\n"),
    }));
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringContaining("another process holds")]);
    expect((await metricsOf(url)).size, "the first goes on").toBeGreaterThan(0);
    expect(await process.end()).toBe(0);
  });

  it("a second daemon on a copy of the key: one key, one daemon, wherever the file lies", async () => {
    const { process } = await startDaemon(scene);
    const folder = join(scene.folder, "copy");
    mkdirSync(folder);
    cpSync(join(scene.folder, "agent.key"), join(folder, "agent.key"));
    writeFileSync(join(folder, "bot.yaml"), yaml);
    const { code, stderr } = await quoinDone(["run", "--config", join(folder, "bot.yaml")]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/another process holds the agent key [0-9a-f]{64}/)]);
    expect(await process.end()).toBe(0);
    const next = quoin(["run", "--config", join(folder, "bot.yaml")]);
    await next.seen("its address", (text) => text.includes('"event":"ready"'));
    expect(await next.end()).toBe(0);
  });
});
