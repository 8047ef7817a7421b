// The README of the strategies: every strategy and every parameter is in it, and the ten lines are a strategy that works.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { loadStrategy, ownStrategy } from "../../../src/bot/strategy/loader.ts";
import type { Strategy } from "../../../src/bot/strategy/strategy.ts";
import { shippedStrategies } from "../../support/shipped-strategies.ts";
import { healthyView } from "../bot/risk/healthy.ts";

const folder = resolve(import.meta.dirname, "../../../strategies");
const readme = readFileSync(join(folder, "README.md"), "utf8");

test("the table has the strategies that ship", () => {
  const rows = readme.split("\n## ", 1)[0]?.matchAll(/^\| `([a-z-]+)` \|/gm) ?? [];
  expect(new Set(Array.from(rows, ([, name]) => name))).toEqual(new Set(shippedStrategies));
});

test.each(shippedStrategies)("%s: its row, and each of its parameters with its default", async (name) => {
  expect(readme).toContain(`| \`${name}\` |`);
  const section = readme.split(`## \`${name}\``)[1]?.split("\n## ")[0] ?? "";
  const { strategy } = (await import(join(folder, `${name}.ts`))) as { readonly strategy: Strategy<unknown, unknown> };
  expect(strategy.name).toBe(name);
  const schema = z.toJSONSchema(strategy.params, { io: "input", unrepresentable: "any" });
  for (const [parameter, shape] of Object.entries(schema.properties ?? {})) {
    const line = section.split("\n").find((row) => row.split("|")[1]?.includes(`\`${parameter}\``));
    expect(line, parameter).toBeDefined();
    if (typeof shape === "object" && shape.default !== undefined) expect(line).toContain(String(shape.default));
    expect(typeof shape === "object" && shape.description, `${parameter} says what it is`).toBeTruthy();
  }
});

test("the ten lines load from a file outside the checkout, quote both sides, and refuse a wrong parameter", async () => {
  const text = readme.split("```ts\n")[1]?.split("```")[0] ?? "";
  const scratch = mkdtempSync(join(tmpdir(), "own-strategy-"));
  try {
    const file = join(scratch, "around-the-index.ts");
    writeFileSync(file, text);
    const { name, source } = ownStrategy(file, (path) => readFileSync(path, "utf8"));
    const loaded = await loadStrategy(name, { halfSpreadBps: 10, size: 1 }, source);
    expect(
      loaded
        .start()
        .quote(healthyView)
        .quotes.map(({ side }) => side),
    ).toEqual(["buy", "sell"]);
    await expect(loadStrategy(name, { halfSpreadBps: 0, size: 1 }, source)).rejects.toThrow("halfSpreadBps");
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
