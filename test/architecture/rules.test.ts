// The rules tested on small trees: each is content with a good one and says where a bad one breaks the law.

import { describe, expect, test } from "vitest";
import * as rules from "./rules.ts";
import { bans } from "./table.ts";
import { treeOf } from "./tree.ts";

const check = (rule: rules.Rule, texts: Readonly<Record<string, string>>) => rule(treeOf(texts));
const lines = (count: number) => "// A line.\n".repeat(count);

describe("imports point one way", () => {
  const allowed: readonly (readonly [string, string])[] = [
    ["src/domain/units.ts", 'import { a } from "../kernel/a.ts";'],
    ["src/bot/risk/guard.ts", 'import { a } from "./gates/a.ts";'],
    ["src/bot/execution/send.ts", 'import { a } from "../venue/port.ts";'],
    ["src/bot/execution/send.ts", 'import type { Approved } from "../risk/approved.ts";'],
    ["src/main.ts", 'import { a } from "./host/a.ts";'],
    ["strategies/glft.ts", `import { a } from "quoin/strategy";`],
    ["strategies/a.ts", 'import { b } from "./b.ts";'],
    ["test/unit/a.test.ts", 'import { a } from "../../src/devnet/a.ts";'],
  ];
  test.each(allowed)("%s: %s", (path, text) => {
    expect(check(rules.importsPointOneWay, { [path]: text })).toEqual([]);
  });

  const forbidden: readonly (readonly [string, string, string])[] = [
    ["src/kernel/a.ts", 'import { b } from "../domain/b.ts";', "kernel may not import src/domain/b.ts"],
    ["src/devnet/a.ts", 'import type { B } from "../bot/market/b.ts";', "devnet may not import src/bot/market/b.ts"],
    ["src/bot/service/a.ts", 'import { b } from "../../devnet/b.ts";', "bot/service may not import src/devnet/b.ts"],
    [
      "src/bot/execution/a.ts",
      'import { b } from "../venue/remote/b.ts";',
      "bot/execution may not import src/bot/venue/remote/b.ts",
    ],
    [
      "src/bot/execution/a.ts",
      'import { approve } from "../risk/b.ts";',
      "bot/execution may not import src/bot/risk/b.ts",
    ],
    ["src/bot/market/a.ts", 'export { b } from "../strategy/b.ts";', "bot/market may not import src/bot/strategy/b.ts"],
    ["src/bot/market/a.ts", 'const b = await import("../risk/b.ts");', "bot/market may not import src/bot/risk/b.ts"],
    [
      "src/bot/risk/a.ts",
      'import { b } from "../../../test/support/b.ts";',
      "bot/risk may not import test/support/b.ts",
    ],
    ["src/helpers/a.ts", 'import { b } from "../kernel/b.ts";', "helpers has no row"],
    ["strategies/a.ts", 'import { b } from "../src/bot/strategy/loader.ts";', "a strategy imports"],
  ];
  test.each(forbidden)("%s: %s is refused", (path, text, said) => {
    expect(check(rules.importsPointOneWay, { [path]: text })).toEqual([expect.stringContaining(`${path}:1: ${said}`)]);
  });
});

test("a room with a door is entered by its door alone", () => {
  const room = "src/bot/account/orders";
  const from = (path: string, file: string) =>
    check(rules.doorsAreUsed, { [path]: `import type { A } from "${file}";` });
  expect(from("src/bot/account/read.ts", "./orders/orders.ts")).toEqual([]);
  expect(from(`${room}/list.ts`, "./records.ts")).toEqual([]);
  expect(from("src/bot/account/read.ts", "./orders/records.ts")).toEqual([
    expect.stringContaining(`the door of ${room}/ is ${room}/orders.ts, not ${room}/records.ts`),
  ]);
});

describe("packages have one home", () => {
  test("at home", () => {
    const texts = {
      "src/devnet/api/a.ts": 'import { b } from "ws";',
      "src/wire/a.ts": 'import { b } from "@noble/ed25519";',
    };
    expect(check(rules.packagesHaveOneHome, texts)).toEqual([]);
  });

  test("elsewhere, below the package's name too", () => {
    const texts = {
      "src/bot/market/a.ts": 'import { b } from "ws";',
      "src/bot/risk/a.ts": 'import { b } from "zod/v4";',
    };
    expect(check(rules.packagesHaveOneHome, texts)).toEqual([
      expect.stringContaining("src/bot/market/a.ts:1: package ws lives in"),
      expect.stringContaining("src/bot/risk/a.ts:1: package zod lives in"),
    ]);
  });

  test("without a home", () => {
    expect(check(rules.packagesHaveOneHome, { "src/bot/market/a.ts": 'import { b } from "left-pad";' })).toEqual([
      "src/bot/market/a.ts:1: package left-pad has no home in the table",
    ]);
  });
});

test("an import that names no file is found", () => {
  expect(check(rules.importsResolve, { "src/a.ts": 'import "./b.ts";', "src/b.ts": 'import "./c.ts";' })).toEqual([
    "src/b.ts:1: no such file: src/c.ts",
  ]);
});

describe("cycles", () => {
  test("a diamond is none", () => {
    const texts = {
      "a.ts": 'import "./b.ts"; import "./c.ts";',
      "b.ts": 'import "./d.ts";',
      "c.ts": 'import "./d.ts";',
      "d.ts": "",
    };
    expect(check(rules.importsHaveNoCycle, texts)).toEqual([]);
  });

  test("types that go round are one, told once with their way", () => {
    const texts = {
      "a.ts": 'import "./b.ts";',
      "b.ts": 'import "./c.ts";',
      "c.ts": 'import type { B } from "./b.ts";',
    };
    expect(check(rules.importsHaveNoCycle, texts)).toEqual(["cycle: b.ts → c.ts → b.ts"]);
  });
});

test("a file that nothing reaches is dead, and so is what only it reaches", () => {
  const texts = {
    "src/main.ts": 'import "./alive.ts";',
    "src/alive.ts": "",
    "src/dead.ts": 'import "./buried.ts";',
    "src/buried.ts": "",
    "src/ambient.d.ts": "",
    "strategies/fixed.ts": "",
  };
  expect(check(rules.nothingIsDead, texts)).toEqual([
    "src/dead.ts: nothing that runs imports it",
    "src/buried.ts: nothing that runs imports it",
  ]);
});

describe("bans", () => {
  const samples: readonly (readonly [string, string])[] = [
    ["the ambient clock", "const now = Date.now();"],
    ["the ambient clock", "const now = new Date();"],
    ["the ambient clock", "const now = Date();"],
    ["the ambient clock", "const now = performance.now();"],
    ["the ambient clock", "const now = process.hrtime.bigint();"],
    ["the ambient clock", 'import { performance as p } from "node:perf_hooks";'],
    ["an ambient timer", "setTimeout(() => {}, 1);"],
    ["an ambient timer", "const later = setImmediate;"],
    ["an ambient timer", "const signal = AbortSignal.timeout(5);"],
    ["an ambient timer", 'import { setTimeout as wait } from "timers/promises";'],
    ["randomness", "const roll = Math.random();"],
    ["randomness", "const id = crypto.randomUUID();"],
    ["randomness", 'import { randomBytes } from "node:crypto";'],
    ["the process and its environment", "const home = process.env.HOME;"],
    ["the process and its environment", "const { env } = process;"],
    ["the process and its environment", "const pid = `${process.pid}`;"],
    ["the process and its environment", "process.on(name, stop);"],
    ["the process and its environment", "const get = globalThis.fetch;"],
    ["the process and its environment", 'import { hostname } from "node:os";'],
    ["a duration", "const WAIT_MS = 250;"],
    ["a duration", "export const HALF_LIFE_SEC_MAX = 3_600;"],
    ["a duration", "const BACK_OFF = { firstMs: 50, maxMs: 5000 };"],
    ["a duration", "clock.every(60_000, tidy);"],
    ["a duration", "await sleep(clock, 200);"],
    ["a duration", "const server = { requestTimeout: 10_000 };"],
    ["a network server", "const server = createServer();"],
    ["the network", "const answer = fetch(url);"],
    ["the network", "const socket = new WebSocket(url);"],
    ["the network", 'import { request } from "node:http";'],
    ["the network", 'import { request } from "../../kernel/node-http.ts";'],
    ["an import of node:http for more than its types", 'import { request, type Server } from "node:http";'],
    ["the disk", 'import { readFile } from "node:fs/promises";'],
    ["the disk", 'import { DatabaseSync } from "node:sqlite";'],
    ["code chosen at run time", "const code = import(path);"],
    ["code chosen at run time", "const f = new Function(text);"],
    ["waiting between View and Approved", "const quotes = await ask();"],
    ["waiting between View and Approved", "async function check() {}"],
    // Text that the rule must find, not code of ours.
    ["the type any", "const a: any = 1;"],
    ["the type any", "const b = c as any;"],
    ["the type any", "const d: Map<string, any> = e;"],
  ];
  test.each(samples)("%s is found: %s", (what, text) => {
    const path = "src/bot/risk/sample.ts";
    expect(check(rules.bansHold, { [path]: `// Purpose.\n${text}\n` })).toContainEqual(
      expect.stringContaining(`${path}:2: ${what} is banned here`),
    );
  });

  test("every ban has a sample", () => {
    expect(new Set(samples.map(([what]) => what))).toEqual(new Set(bans.map(({ what }) => what)));
  });

  test.each([
    "// The clock is an argument: no Date.now() here.",
    'const text = "process.env and Math.random()";',
    "const at = new Date(venueTimeMs);",
    "const first = Promise.any(answers);",
    "const book = feed.fetch(market);",
    "const { version } = process.versions;",
    "const many = company + germany;",
    "const code = /fetch(url)/;",
  ])("what only looks like one is not: %s", (text) => {
    expect(check(rules.bansHold, { "src/bot/market/a.ts": text })).toEqual([]);
  });

  test("a home may, tests may", () => {
    const texts = { "src/kernel/clock.ts": "Date.now(); setTimeout(f, 1);", "test/a.test.ts": "Date.now();" };
    expect(check(rules.bansHold, texts)).toEqual([]);
  });

  test("where only the types of a module may be imported, they may be", () => {
    const texts = { "src/devnet/api/a.ts": 'import type { Server } from "node:http";' };
    expect(check(rules.bansHold, texts)).toEqual([]);
  });

  test("strategies may not, and neither wait", () => {
    expect(check(rules.bansHold, { "strategies/a.ts": "await import(`./${name}.ts`);" })).toHaveLength(2);
  });

  test("a home that needs it no longer is told", () => {
    expect(check(rules.homesAreNeeded, { "src/kernel/entropy.ts": "export const bytes = 0;" })).toEqual([
      "src/kernel/entropy.ts no longer touches randomness: strike it from the table",
    ]);
  });
});

test.each([
  ["a line", "// Says why.\n\nconst a = 1;", 0],
  ["five lines after the interpreter's", `#!/usr/bin/env node\n${lines(5)}const a = 1;`, 0],
  ["no comment", "const a = 1;\n// Too late.", 1],
  ["an essay", `${lines(6)}const a = 1;`, 1],
])("a purpose: %s", (_, text, faults) => {
  expect(check(rules.filesOpenWithTheirPurpose, { "src/a.ts": text })).toHaveLength(faults);
});

describe("long files", () => {
  test("one at the bound needs no reason", () => {
    expect(check(rules.longFilesSayWhy, { "src/a.ts": lines(500) })).toEqual([]);
  });

  test("one beyond it does", () => {
    expect(check(rules.longFilesSayWhy, { "src/a.ts": lines(501) })).toEqual([
      "src/a.ts: more than 500 lines: say in the table why it is one concept, or split it",
    ]);
  });
});

describe("small files", () => {
  const part = { "src/a/part.ts": lines(59) };
  const whole = 'import { part } from "./part.ts";';

  test.each([
    ["two neighbors import it", { ...part, "src/a/b.ts": whole, "src/a/c.ts": whole }],
    ["another folder imports it", { ...part, "src/b/a.ts": 'import { part } from "../a/part.ts";' }],
    ["nobody imports it", part],
    ["it is not small", { "src/a/part.ts": lines(60), "src/a/b.ts": whole }],
    ["the table says why", { "src/kernel/heap.ts": lines(1), "src/kernel/clock.ts": 'import "./heap.ts";' }],
  ])("one stands alone where %s", (_, texts) => {
    expect(check(rules.smallFilesAreConcepts, texts)).toEqual([]);
  });

  test("one that a single neighbor imports joins it", () => {
    expect(check(rules.smallFilesAreConcepts, { ...part, "src/a/b.ts": whole })).toEqual([
      "src/a/part.ts: small, and only src/a/b.ts imports it: join them, or name its concept in the table",
    ]);
  });

  test("a concept that is none any longer is struck from the table", () => {
    expect(check(rules.smallFilesAreConcepts, { "src/kernel/heap.ts": lines(60) })).toEqual([
      "src/kernel/heap.ts needs no place among the concepts any longer: strike it from the table",
    ]);
  });
});

test("a room of the table that does not exist is found", () => {
  expect(check(rules.roomsExist, { "src/kernel/a.ts": "" })).toContain(
    "src/domain does not exist: strike it from the table of imports",
  );
  expect(check(rules.roomsExist, { "src/kernel/a.ts": "" })).not.toContainEqual(expect.stringContaining("src/kernel "));
});

test("a mark of work put off is found in comments too", () => {
  const mark = ["TO", "DO"].join("");
  expect(check(rules.nothingIsPostponed, { "src/a.ts": `// Purpose.\n// ${mark}: later` })).toEqual([
    `src/a.ts:2: ${mark}`,
  ]);
});
