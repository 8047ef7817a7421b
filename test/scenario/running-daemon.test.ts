// Commands find the daemon that runs, with real processes: by its file though it chose its port, by its address from a copy of its file, and
// never by what a killed daemon left. The configuration is one that people begin with: an embedded exchange, and no ledger.

import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { PROJECT, processDone, quoinProcess, type RunningProcess } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";

const folder = scratchFolder("running-daemon");
const env = { ...process.env, TMPDIR: folder };
const own = join(folder, "own.yaml");
const copy = join(folder, "new.yaml");
const demo = readFileSync(join(PROJECT, "config/demo.yaml"), "utf8")
  .replace("embedded: devnet.yaml", `embedded: ${join(PROJECT, "config/devnet.yaml")}`)
  .replace("port: 9464", "port: 0");
let daemon: RunningProcess;
let url: string;

const start = async (): Promise<void> => {
  daemon = quoinProcess(["run", "--config", own], { env });
  url = await daemon.seen("the daemon's address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
  writeFileSync(copy, demo.replace("port: 0", `port: ${new URL(url).port}`));
};
const quoin = (...args: readonly string[]) => processDone(args, { env });
const privateFolder = (): string => join(folder, readdirSync(folder).find((name) => name.startsWith("quoin-")) ?? "");
const notes = () => readdirSync(privateFolder()).filter((name) => name.endsWith(".daemon"));

beforeAll(async () => {
  writeFileSync(own, demo);
  await start();
});
afterEach(() => chmodSync(privateFolder(), 0o700));
afterAll(() => daemon.end());

test("by its own file, though it chose its port", async () => {
  const { code, stdout } = await quoin("status", "--config", own);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^daemon: /)]);
});

test("from a copy of its file: its token, and what it is asked for with it", async () => {
  const [{ stdout: token }, ofCopy] = await Promise.all([
    quoin("token", "--config", own),
    quoin("token", "--config", copy),
  ]);
  expect(ofCopy).toMatchObject({ code: 0, stdout: token });
  const { code, stdout, stderr } = await quoin("preview", "--config", copy);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^account 12 market 1: unchanged;.*\naccount 12 market 2: unchanged;.*\n$/);
});

test("forbidden: a folder that others can reach is believed", async () => {
  chmodSync(privateFolder(), 0o755);
  const { code, stderr } = await quoin("preview", "--config", copy);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /quoin-\d+ has mode 0755: others can reach it, and nothing in it is trusted; use 0700\n.*token/,
    ),
  ]);
});

test("forbidden: the note of a killed daemon is believed; the next start removes it, and a stop its own", async () => {
  await daemon.end("SIGKILL");
  expect(notes()).toHaveLength(1);
  expect(await quoin("preview", "--config", copy)).toMatchObject({
    code: 1,
    stderr: `quoin: no daemon answers at ${url}\n`,
  });
  const left = notes();
  await start();
  expect(notes()).toHaveLength(1);
  expect(notes()).not.toEqual(left);
  await daemon.end();
  expect(notes()).toEqual([]);
});
