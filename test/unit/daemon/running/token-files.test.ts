// Tokens below the administrator's, as files in a real folder: what each grants, which are worth nothing, and that a deleted one is revoked.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Log } from "../../../../src/bot/telemetry/log.ts";
import { makeAgentTokens, scopedTokens } from "../../../../src/daemon/running/token-files.ts";
import { microtasks } from "../../../../src/kernel/clock.ts";
import { systemEntropy } from "../../../../src/kernel/entropy.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";
import { scratchFolder } from "../../../support/scratch.ts";

const ADMIN = "the-administrators-token";
let folder: string;
let tokens: string;
let warnings: string[];

beforeEach(() => {
  folder = scratchFolder("token-files");
  tokens = join(folder, "tokens");
  mkdirSync(tokens);
  warnings = [];
});

function start() {
  const clock = createVirtualClock({ startMs: 0, settle: microtasks });
  const log = { warn: (_: object, text: string) => warnings.push(text) } as unknown as Log;
  const list = scopedTokens(join(folder, "quoin.sqlite"), ADMIN, { files: systemFiles, clock }, log);
  return { clock, list, names: () => list().map(({ name }) => name) };
}

const put = (name: string, text: string, mode = 0o600): void => writeFileSync(join(tokens, name), text, { mode });
const fileOf = (token: string, ...scopes: readonly string[]): string => JSON.stringify({ token, scopes });

test("a token has exactly the scopes of its file", () => {
  put("desk", fileOf("token-of-the-desk", "read", "operate", "signal:listings"));
  put("none", `${fileOf("token-of-nothing")}\n`);
  expect(start().list()).toEqual([
    { name: "desk", token: "token-of-the-desk", scopes: new Set(["read", "operate", "signal:listings"]) },
    { name: "none", token: "token-of-nothing", scopes: new Set() },
  ]);
  expect(warnings).toEqual([]);
});

describe("the agents' tokens", () => {
  const make = () => {
    const log = { warn: (_: object, text: string) => warnings.push(text) } as unknown as Log;
    makeAgentTokens(join(folder, "quoin.sqlite"), { files: systemFiles, entropy: systemEntropy }, log);
  };

  test("are made once, each another, with no more scopes than an agent needs", () => {
    rmSync(tokens, { recursive: true });
    make();
    const made = start().list();
    expect(made.map(({ name, scopes }) => [name, [...scopes]])).toEqual([
      ["mcp", ["read"]],
      ["mcp-propose", ["read", "propose"]],
    ]);
    expect(new Set(made.map(({ token }) => token)).size).toBe(2);
    make();
    expect(start().list()).toEqual(made);
    rmSync(join(tokens, "mcp"));
    make();
    expect(start().list()[0]?.token).not.toBe(made[0]?.token);
    expect(warnings).toEqual([]);
  });

  test("that cannot be made are named, and the daemon starts all the same", () => {
    rmSync(tokens, { recursive: true });
    writeFileSync(tokens, "a file in its place");
    make();
    expect(warnings).toEqual([expect.stringContaining("is not a folder")]);
  });
});

test("without a folder there is no token, and nothing is at fault", () => {
  rmSync(tokens, { recursive: true });
  expect([start().list(), warnings]).toEqual([[], []]);
});

test("a deleted file is revoked within a second, a changed one has its new scopes, a new one is found", async () => {
  put("desk", fileOf("token-of-the-desk", "read"));
  put("agent", fileOf("token-of-the-agent", "read", "change"));
  const { clock, list, names } = start();
  expect(names()).toEqual(["agent", "desk"]);
  rmSync(join(tokens, "desk"));
  put("agent", fileOf("token-of-the-agent", "read"));
  put("new", fileOf("token-of-the-new", "read"));
  await clock.advance(999);
  expect(names()).toEqual(["agent", "new"]);
  expect(list()[0]?.scopes).toEqual(new Set(["read"]));
});

describe("worth nothing, and named once", () => {
  test.each<readonly [string, string, string]>([
    ["text that is no JSON", "token-of-the-desk", "not JSON"],
    ["a list", '["token-of-the-desk"]', "not JSON of the form"],
    ["an unknown scope", fileOf("token-of-the-desk", "read", "admin"), "an unknown scope"],
    ["a scope of another case", fileOf("token-of-the-desk", "Read"), "an unknown scope"],
    ["a signal without a name", fileOf("token-of-the-desk", "signal:"), "an unknown scope"],
    ["a token as a key", '{"token-of-the-desk":["read"]}', "an unknown key"],
    ["an unknown key", '{"token":"token-of-the-desk","scopes":[],"expires":1}', "an unknown key"],
    ["scopes that are no list", '{"token":"token-of-the-desk","scopes":"read"}', "scopes must be a list"],
    ["a short token", fileOf("short", "read"), "8 to 1024 visible"],
    ["a token with a space", fileOf("token of the desk", "read"), "8 to 1024 visible"],
    ["the administrator's token", fileOf(ADMIN, "read"), "another file has the same token"],
    ["a file of megabytes", fileOf("x".repeat(1_000_000), "read"), "not JSON"],
  ])("%s", async (_, text, why) => {
    put("good", fileOf("token-of-the-good", "read"));
    put("desk", text);
    const { clock, names } = start();
    expect(names()).toEqual(["good"]);
    await clock.advance(10_000);
    expect(names()).toEqual(["good"]);
    expect(warnings).toEqual([expect.stringContaining(why)]);
    expect(warnings[0]).toContain(join(tokens, "desk"));
    expect(warnings[0]).not.toContain("token-of-the-desk");
    expect(warnings[0]).not.toContain(ADMIN);
  });

  test("a file that others can read", () => {
    put("desk", fileOf("token-of-the-desk", "read"), 0o644);
    expect([start().names(), warnings]).toEqual([[], [expect.stringContaining("has mode 0644")]]);
  });

  test("a link, and a folder", () => {
    writeFileSync(join(folder, "elsewhere"), fileOf("token-of-the-desk", "read"), { mode: 0o600 });
    symlinkSync(join(folder, "elsewhere"), join(tokens, "link"));
    mkdirSync(join(tokens, "more"));
    expect(start().names()).toEqual([]);
    expect(warnings).toEqual([
      expect.stringContaining("is a symbolic link"),
      expect.stringContaining("is not a regular file"),
    ]);
  });

  test("both files with the same token", () => {
    put("one", fileOf("token-of-two-files", "read"));
    put("two", fileOf("token-of-two-files", "change"));
    expect([start().names(), warnings.length]).toEqual([[], 2]);
  });

  test("a name that a log line cannot show plainly", () => {
    put("two words", fileOf("token-of-the-desk", "read"));
    put(".hidden", fileOf("token-of-the-hidden", "read"));
    expect([start().names(), warnings.length]).toEqual([[], 2]);
  });

  test("every file of a folder with more than 64", () => {
    for (let count = 0; count < 65; count += 1) put(`desk-${count}`, fileOf(`token-of-desk-${count}`, "read"));
    expect([start().names(), warnings]).toEqual([[], [expect.stringContaining("65 files, at most 64")]]);
  });
});
