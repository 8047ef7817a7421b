// Which configuration a command takes where --config is left out, and what it says of it.

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inFolder } from "../support/in-folder.ts";
import { PROJECT, processDone, quoinDone } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";

const devnetIn = (folder: string, name: string): void =>
  copyFileSync(join(PROJECT, "config/devnet.yaml"), join(folder, name));
const check = (folder: string, configVariable: string | null, ...more: readonly string[]) =>
  inFolder(folder, () => quoinDone(["check", ...more], { configVariable }));

it("is quoin.yaml of the folder, which stderr names and stdout does not", async () => {
  const folder = scratchFolder("usual");
  devnetIn(folder, "quoin.yaml");
  const { code, stdout, stderr } = await check(folder, null, "--json");
  expect([code, stderr]).toEqual([0, "quoin: the configuration is quoin.yaml\n"]);
  expect(JSON.parse(stdout)).toEqual({ ok: true, faults: [], warnings: [] });
});

it("is QUOIN_CONFIG's before quoin.yaml, and --config's before both", async () => {
  const folder = scratchFolder("usual");
  writeFileSync(join(folder, "quoin.yaml"), "wrong: here\n");
  devnetIn(folder, "named.yaml");
  const named = await check(folder, "named.yaml");
  expect([named.code, named.stderr]).toEqual([0, "quoin: the configuration is named.yaml, named by QUOIN_CONFIG\n"]);
  const written = await check(folder, "missing.yaml", "--config", "named.yaml");
  expect([written.code, written.stderr]).toEqual([0, ""]);
});

it("a file that QUOIN_CONFIG names and that is missing is a fault: quoin.yaml does not stand in for it", async () => {
  const folder = scratchFolder("usual");
  devnetIn(folder, "quoin.yaml");
  const { code, stderr } = await check(folder, "missing.yaml");
  expect([code, stderr]).toEqual([2, expect.stringContaining("missing.yaml:1:1: no such file")]);
});

it("an empty QUOIN_CONFIG counts as unset", async () => {
  const folder = scratchFolder("usual");
  devnetIn(folder, "quoin.yaml");
  const checked = await processDone(["check"], { cwd: folder, env: { ...process.env, QUOIN_CONFIG: "" } });
  expect(checked).toMatchObject({ code: 0, stderr: "quoin: the configuration is quoin.yaml\n" });
});

it("none is exit 2 with what to do, and a key in QUOIN_CONFIG is not repeated", async () => {
  const folder = scratchFolder("usual");
  const none = await check(folder, null);
  expect([none.code, none.stdout, none.stderr.trim().split("\n")]).toEqual([
    2,
    "",
    [expect.stringMatching(/^quoin: no configuration: .*--config FILE.*QUOIN_CONFIG.*quoin\.yaml/)],
  ]);
  const key = "ab".repeat(32);
  const { code, stderr } = await check(folder, key);
  expect(code).toBe(2);
  expect(stderr).not.toContain(key);
});

it("a folder with the name quoin.yaml is no configuration", async () => {
  const folder = scratchFolder("usual");
  mkdirSync(join(folder, "quoin.yaml"));
  const { code, stderr } = await check(folder, null);
  expect([code, stderr]).toEqual([2, expect.stringContaining("no configuration")]);
});

it("a command that takes several takes the usual one alone", async () => {
  const folder = scratchFolder("usual");
  devnetIn(folder, "devnet.yaml");
  copyFileSync(join(PROJECT, "config/demo.yaml"), join(folder, "quoin.yaml"));
  const { code, stdout, stderr } = await inFolder(folder, () =>
    quoinDone(["backtest", "--days", "0.0005", "--workers", "1", "--json"], { configVariable: null }),
  );
  expect([code, stderr]).toEqual([0, "quoin: the configuration is quoin.yaml\n"]);
  expect(stdout).toMatch(/^\{"kind":"run"/);
});

/** Each command, and each command of a command, by its words. */
async function commandsOf(words: readonly string[] = []): Promise<readonly (readonly string[])[]> {
  const { stdout } = await quoinDone([...words, "--help"]);
  if (!stdout.startsWith(`Usage: ${["quoin", ...words].join(" ")} [options] [command]`)) return [];
  const names = [...stdout.matchAll(/^ {2}([a-z][\w-]*) /gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "help");
  const below = await Promise.all(names.map((name) => commandsOf([...words, name])));
  return [...names.map((name) => [...words, name]), ...below.flat()];
}

it("serves every command that reads a bot's configuration", async () => {
  const commands = await commandsOf();
  expect(commands).toContainEqual(["fleet", "run"]);
  const helps = await Promise.all(
    commands.map(
      async (words) =>
        [words.join(" "), (await quoinDone([...words, "--help"])).stdout.replaceAll(/\s+/g, " ")] as const,
    ),
  );
  const reading = helps.filter(([, help]) => help.includes("--config <FILE>"));
  expect(reading.length).toBeGreaterThan(25);
  const without = reading.filter(([, help]) => !help.includes("(default: QUOIN_CONFIG, then ./quoin.yaml)"));
  // A devnet's configuration is another kind of file, and `replay` compares with another configuration only when asked to.
  expect(without.map(([name]) => name)).toEqual(["devnet", "replay"]);
});
