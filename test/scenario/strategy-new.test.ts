// `quoin strategy new`, as a newcomer uses it outside the checkout: what it writes is checked, compiles, passes its test, earns its backtest a
// report and quotes on paper; and what it refuses, it refuses without a trace.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkoutAt } from "../support/checkout.ts";
import { endAll, PROJECT, quoin, quoinDone, quoinProcess } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";
import { until } from "../support/until.ts";
import { statusOf } from "./operator.ts";

const run = promisify(execFile);
const folder = scratchFolder("strategy-new");
const at = (name: string): string => join(folder, "my", name);
const own = at("own.ts");
const WRITTEN = ["own.test.ts", "own.ts", "own.yaml", "tsconfig.json"];

/** Exit code and what it says, of a program of the checkout's. */
const tool = (name: string, args: readonly string[], cwd: string) =>
  run(join(PROJECT, "node_modules/.bin", name), args, { cwd, env: { ...process.env, VITEST: undefined } }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { readonly code: number; readonly stdout: string }) => ({ code, stdout }),
  );

let wrote: string;
beforeAll(async () => {
  const { code, stdout } = await quoinDone(["strategy", "new", own]);
  expect(code).toBe(0);
  wrote = stdout;
});
afterAll(endAll);

test("it makes the folder, and says what it wrote and which commands come next, ready to be typed", async () => {
  expect(readdirSync(join(folder, "my"))).toEqual(WRITTEN);
  expect(wrote).toContain(`wrote ${own}, ${at("own.test.ts")}, ${at("own.yaml")} and ${at("tsconfig.json")}`);
  const commands = Array.from(wrote.matchAll(/^ {2}npx quoin (.*?)(?: {2,}#.*)?$/gm), ([, words = ""]) =>
    words.split(" "),
  );
  expect(commands.map(([command]) => command)).toEqual(["check", "backtest", "run"]);
  const [check = [], backtest = []] = commands;
  expect(await quoinDone(check)).toMatchObject({ code: 0, stdout: expect.stringContaining("valid") });
  const minutes = backtest.map((word, nth) => (backtest[nth - 1] === "--days" ? "0.007" : word));
  const { code, stdout } = await quoinDone([...minutes, "--warm-up", "0", "--workers", "1", "--json"]);
  expect(code).toBe(0);
  const [seed] = stdout.split("\n").map((line) => JSON.parse(line || "{}"));
  expect(seed.markets[0]).toMatchObject({ strategy: "own", fills: expect.any(Number) });
  expect(seed.markets[0].fills).toBeGreaterThan(3);
  expect(seed.markets[0].quoteUptime).toBeGreaterThan(0.6);
});

test("tsc finds the types from there, and no error but where a size is multiplied by a number", async () => {
  const wrong = join(folder, "wrong");
  await quoinDone(["strategy", "new", join(wrong, "own.ts")]);
  const text = readFileSync(own, "utf8").replace("scaled(given.size, given.outerSize)", "given.size * given.outerSize");
  writeFileSync(join(wrong, "own.ts"), text);
  const { code, stdout } = await tool("tsc", ["--noEmit"], wrong);
  expect([code, stdout]).toEqual([
    expect.any(Number),
    expect.stringMatching(
      /^own\.ts\(\S+: error TS6133: 'scaled'.*\nown\.ts\(\S+: error TS2365: .*'Size' and 'number'.*\n$/,
    ),
  ]);
  const { stderr } = await quoinDone(["check", "--config", join(wrong, "own.yaml")]);
  const line = text.split("\n").findIndex((row) => row.includes("given.size * given")) + 1;
  expect(stderr).toMatch(new RegExp(`Cannot mix BigInt .*scaled\\(size, 10\\) multiplies.* at /\\S+own\\.ts:${line},`));
});

test("its test passes with nothing installed, and fails once the strategy is broken", async () => {
  const node = process.execPath;
  const tried = (file: string) =>
    run(node, ["--test", file], { cwd: folder, env: { PATH: "" } }).then(
      ({ stdout }) => stdout,
      ({ stdout }) => stdout as string,
    );
  expect(await tried(at("own.test.ts"))).toMatch(/pass 6\n(?:.*\n)*.*fail 0/);
  const broken = join(folder, "broken", "own.ts");
  await quoinDone(["strategy", "new", broken]);
  writeFileSync(broken, readFileSync(broken, "utf8").replace("reduceOnly: isFull", "reduceOnly: false"));
  expect(await tried(join(folder, "broken", "own.test.ts"))).toMatch(/fail 1/);
});

test("it quotes on paper; a syntax error is refused with its line while the strategy before goes on", async () => {
  writeFileSync(at("own.yaml"), readFileSync(at("own.yaml"), "utf8").replace("port: 9464", "port: 0"));
  const daemon = quoin(["run", "--config", at("own.yaml")]);
  const url = await daemon.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
  const market = async () => (await statusOf(url)).accounts[0]?.markets[0];
  const quotes = async () => ((await market())?.bids.length ?? 0) > 0 && ((await market())?.asks.length ?? 0) > 0;
  await until("quotes on both sides", quotes);
  const good = readFileSync(own, "utf8");
  writeFileSync(own, good.replace("  start: () => null,", "  start: () => nul l,"));
  const line = good.split("\n").findIndex((row) => row.startsWith("  start:")) + 1;
  await daemon.seen("the refusal", (text) =>
    text.split("\n").some((row) => row.includes("config.refused") && row.includes(`own.ts:${line})`)),
  );
  await until("quotes as before", quotes);
  expect((await statusOf(url)).accounts[0]?.markets[0]?.quotesReason).toBeNull();
  writeFileSync(own, good);
  expect(await daemon.end()).toBe(0);
});

describe("it refuses in one line, with exit 2, and writes nothing:", () => {
  test.each([
    [
      "a strategy that is there",
      "own.ts",
      ["own.ts"],
      /own\.ts exists already and is not touched; nothing was written/,
    ],
    ["a test that is there", "own.ts", ["own.test.ts"], /own\.test\.ts exists already/],
    ["another kind of file", "own.js", [], /own\.js does not end in \.ts; a strategy is a file such as own\.ts/],
    ["no kind of file", "own", [], /own does not end in \.ts/],
    [
      "a name in capitals",
      "My Own.ts",
      [],
      /"My Own" is no name of a strategy: a-z, 0-9 and dashes, such as my-own\.ts/,
    ],
    ["the name of a test", "own.test.ts", [], /"own\.test" is no name of a strategy/],
    ["a folder that is a file", "own.txt/own.ts", ["own.txt"], /cannot be written: a part of its path is no folder/],
  ])("%s", async (_, name, there, said) => {
    const place = scratchFolder("refused");
    for (const file of there) writeFileSync(join(place, file), "mine");
    const { code, stdout, stderr } = await quoinDone(["strategy", "new", join(place, name)]);
    expect([code, stdout, stderr.trim().split("\n")]).toEqual([2, "", [expect.stringMatching(said)]]);
    expect(readdirSync(place)).toEqual(there);
    for (const file of there) expect(readFileSync(join(place, file), "utf8")).toBe("mine");
  });

  test("a link that leads nowhere: it fails half way, and takes back what it wrote", async () => {
    const place = scratchFolder("half-way");
    symlinkSync(join(place, "nowhere"), join(place, "own.yaml"));
    const { code, stderr } = await quoinDone(["strategy", "new", join(place, "own.ts")]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/own\.yaml cannot be written: .*; nothing was written\n$/),
    ]);
    expect(readdirSync(place)).toEqual(["own.yaml"]);
  });
});

test("a second strategy beside the first shares its tsconfig.json; a tsconfig.json and a configuration that were there are kept, and what they lack is said", async () => {
  const second = await quoinDone(["strategy", "new", at("second.ts"), "--json"]);
  expect([second.code, second.stderr]).toEqual([0, ""]);
  expect(JSON.parse(second.stdout)).toMatchObject({ strategy: at("second.ts"), config: at("second.yaml") });
  expect(readFileSync(at("second.ts"), "utf8")).toContain('name: "second"');
  expect(await quoinDone(["check", "--config", at("second.yaml")])).toMatchObject({ code: 0 });
  const place = scratchFolder("kept");
  writeFileSync(join(place, "tsconfig.json"), "{}");
  writeFileSync(join(place, "own.yaml"), "mine");
  const { code, stderr } = await quoinDone(["strategy", "new", join(place, "own.ts")]);
  expect(stderr).toMatch(/^\S+own\.yaml was there and is not touched; name the strategy in it: \.\/own\.ts\n/);
  expect(readFileSync(join(place, "own.yaml"), "utf8")).toBe("mine");
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/tsconfig\.json was there and is not touched; .*\n\{\n {2}"extends"/),
  ]);
  expect(readFileSync(join(place, "tsconfig.json"), "utf8")).toBe("{}");
});

describe("in the checkout", () => {
  const checkout = scratchFolder("checkout");
  const starter = checkoutAt(checkout, { broken: "export const strategy = (;" });
  mkdirSync(join(checkout, "config"));
  for (const file of ["tsconfig.json", "config/devnet.yaml"])
    writeFileSync(join(checkout, file), readFileSync(join(PROJECT, file)));
  const here = async (...args: readonly string[]) => {
    const child = quoinProcess(args, { cwd: checkout, starter });
    return { code: await child.exit, stdout: child.stdout(), stderr: child.stderr() };
  };

  test("a strategy in strategies/ is found by its name, its test is no strategy, and the compiler's own settings serve", async () => {
    expect(await here("strategy", "new", "strategies/mine.ts")).toMatchObject({ code: 0 });
    expect(existsSync(join(checkout, "strategies/tsconfig.json"))).toBe(false);
    const yaml = readFileSync(join(checkout, "strategies/mine.yaml"), "utf8");
    expect(yaml).toContain("embedded: ../config/devnet.yaml");
    writeFileSync(join(checkout, "named.yaml"), yaml.replace("./mine.ts", "mine").replaceAll("../config", "./config"));
    expect(await here("check", "--config", "named.yaml")).toMatchObject({ code: 0, stderr: "" });
    writeFileSync(join(checkout, "named.yaml"), yaml.replace("./mine.ts", "mime").replaceAll("../config", "./config"));
    const { stderr } = await here("check", "--config", "named.yaml");
    expect(stderr).toMatch(/did you mean mine\? Allowed: .*, mine, /);
    expect(stderr).not.toContain("mine.test");
  });

  test("one in a folder of its own leads back by relative paths, and its test and types find Quoin by name", async () => {
    expect(await here("strategy", "new", "my/own.ts")).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(checkout, "my/tsconfig.json"), "utf8"))).toMatchObject({
      extends: "../tsconfig.json",
    });
    expect(readFileSync(join(checkout, "my/own.test.ts"), "utf8")).toContain('from "quoin/testing"');
    expect(await here("check", "--config", "my/own.yaml")).toMatchObject({ code: 0 });
    expect((await tool("tsc", ["--noEmit", "-p", "my"], checkout)).stdout).toBe("");
    const { stdout } = await run(process.execPath, ["--test", "my/own.test.ts"], { cwd: checkout, env: { PATH: "" } });
    expect(stdout).toMatch(/pass 6\n/);
  });
});
