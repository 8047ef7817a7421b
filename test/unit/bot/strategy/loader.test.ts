// Strategies by name: found, checked, bound, swapped; and every way in which that fails, told apart.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  builtinStrategies,
  loadStrategy,
  StrategyFault,
  type StrategySource,
} from "../../../../src/bot/strategy/loader.ts";
import { healthyView } from "../risk/healthy.ts";

let folder: string;
let source: StrategySource;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "strategies-"));
  source = {
    folder: pathToFileURL(`${folder}/`),
    extension: ".ts",
    importModule: builtinStrategies.importModule,
    readText: (path) => readFileSync(path, "utf8"),
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A strategy that needs nothing of ours: what a file exports is all that counts. */
const text = (name: string, reason: string) => `
  const params = { safeParse: (written) => ({ success: true, data: { written, filled: 1 } }) };
  export const strategy = {
    name: "${name}", summary: "Counts.", params, start: () => ({ turns: 0 }),
    quote: (view, params, memory) => ({ quotes: [], fairValueUsd: ++memory.turns, reason: "${reason}" }),
  };`;
const write = (name: string, content: string) => writeFileSync(join(folder, `${name}.ts`), content);
const fault = (name: string, params: unknown = {}) =>
  loadStrategy(name, params, source).then(
    () => undefined,
    (error: unknown) => (error instanceof StrategyFault ? error : undefined),
  );

test("the strategies of the house load by name, with exact parameters and defaults", async () => {
  const fixed = await loadStrategy("fixed-spread", { halfSpreadBps: 10, size: "0.5", levels: 2, stepBps: 5 });
  expect(fixed).toMatchObject({
    name: "fixed-spread",
    params: { halfSpreadBps: 10, size: 500_000n, skewBps: 0, center: "mid" },
  });
  expect(fixed.start().quote(healthyView).quotes).toHaveLength(4);
  const glft = await loadStrategy("glft", { size: 0.5, maxInventory: 5 });
  expect(glft.start().quote(healthyView).quotes).toHaveLength(2);
});

test("each start has a memory of its own", async () => {
  write("counting", text("counting", "one"));
  const loaded = await loadStrategy("counting", { a: 1 }, source);
  const [first, second] = [loaded.start(), loaded.start()];
  first.quote(healthyView);
  expect(first.quote(healthyView).fairValueUsd).toBe(2);
  expect(second.quote(healthyView).fairValueUsd).toBe(1);
  expect(first.memory).toEqual({ turns: 2 });
  expect(loaded.params).toEqual({ written: { a: 1 }, filled: 1 });
});

test("a strategy that says what its memory is goes on with it, with nothing else, and others start over", async () => {
  const flatten = await loadStrategy("flatten", { size: 1 });
  const memory = { endsMs: 9, start: 4, startedLeftSec: 3, ratePerSec: null, tookMs: null };
  expect(flatten.start(memory).memory).toEqual(memory);
  for (const broken of [null, 7, { ...memory, start: "4" }, { ...memory, startedLeftSec: null }, { turns: 1 }])
    expect(flatten.start(broken).memory).toEqual(flatten.start().memory);
  write("counting", text("counting", "one"));
  const counting = await loadStrategy("counting", { a: 1 }, source);
  expect([flatten.keepsMemory, counting.keepsMemory]).toEqual([true, false]);
  expect(counting.start({ turns: 5 }).memory).toEqual({ turns: 0 });
});

test("an edited file is a new version, an unchanged one the same", async () => {
  write("counting", text("counting", "one"));
  const before = await loadStrategy("counting", {}, source);
  const same = await loadStrategy("counting", {}, source);
  write("counting", text("counting", "two"));
  const after = await loadStrategy("counting", {}, source);
  expect(same.version).toBe(before.version);
  expect(after.version).not.toBe(before.version);
  expect(before.start().quote(healthyView).reason).toBe("one");
  expect(after.start().quote(healthyView).reason).toBe("two");
});

test("what a file imports counts as its own text: an edit of it is another version, and what runs", async () => {
  write(
    "counting",
    `import { reason } from "./words.ts";\n${text("counting", "${reason}").replace('"${reason}"', "reason")}`,
  );
  write(
    "words",
    'import numbers from "./numbers.json" with { type: "json" };\nexport const reason: string = numbers.name;',
  );
  const numbers = (name: string) => writeFileSync(join(folder, "numbers.json"), JSON.stringify({ name }));
  numbers("one");
  const before = await loadStrategy("counting", {}, source);
  numbers("two");
  const after = await loadStrategy("counting", {}, source);
  expect(after.version).not.toBe(before.version);
  expect(before.start().quote(healthyView).reason).toBe("one");
  expect(after.start().quote(healthyView).reason).toBe("two");
});

test("what runs is the text that was read, on a disk without the file too", async () => {
  const texts: Readonly<Record<string, string>> = { "counting.ts": text("counting", "from the text") };
  const readText = ({ pathname }: URL) => texts[pathname.split("/").at(-1) ?? ""] ?? "";
  const loaded = await loadStrategy("counting", {}, { ...source, readText });
  expect(loaded.start().quote(healthyView).reason).toBe("from the text");
});

describe("forbidden", () => {
  test.each([
    "../secret",
    "a/b",
    "a\\b",
    "../..",
    ".",
    "",
    "Fixed",
    "fixed_spread",
    "-a",
    "a-",
    "a--b",
    "a.ts",
    "file:x",
    "%2e%2e",
    "a\0",
    "a".repeat(65),
  ])("the name %j: nothing is read or imported", async (name) => {
    const untouched: StrategySource = {
      ...source,
      importModule: () => Promise.reject(new Error("imported")),
      readText: () => {
        throw new Error("read");
      },
    };
    await expect(loadStrategy(name, {}, untouched)).rejects.toMatchObject({ code: "strategy_name" });
  });

  test("a file that is not there", async () => {
    expect((await fault("nothing"))?.code).toBe("strategy_missing");
    source = { ...source, readText: null };
    expect((await fault("nothing"))?.code).toBe("strategy_missing");
  });

  test("a file that imports what is not there is broken, not missing", async () => {
    write("broken", 'import "./nothing.ts";');
    expect((await fault("broken"))?.code).toBe("strategy_broken");
  });

  test("a file that throws, and one that is no program", async () => {
    write("throwing", 'throw new Error("at start");');
    expect(await fault("throwing")).toMatchObject({
      code: "strategy_broken",
      message: expect.stringContaining("at start"),
    });
    write("garbled", "export const strategy = {");
    expect((await fault("garbled"))?.code).toBe("strategy_broken");
  });

  test("a file without a strategy, and one whose name is another", async () => {
    write("empty", "export const strategy = { name: 'empty' };");
    expect((await fault("empty"))?.code).toBe("strategy_broken");
    write("alias", text("other", "one"));
    expect(await fault("alias")).toMatchObject({
      code: "strategy_broken",
      message: expect.stringContaining('"other"'),
    });
  });

  test("parameters that the schema refuses: every fault, each with its path", async () => {
    const refused = await loadStrategy("glft", { size: 0, levels: 1.5, foo: 1, maxInventory: 3 }).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(StrategyFault);
    const { code, issues } = refused as StrategyFault;
    expect(code).toBe("strategy_params");
    expect(issues.map(({ path }) => path.join("."))).toEqual(["size", "levels", ""]);
  });
});
