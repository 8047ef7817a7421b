// The README of the strategies: every strategy is in it, and the ten lines are a strategy that works.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { loadStrategy, ownStrategy } from "../../../src/bot/strategy/loader.ts";
import { shippedStrategies } from "../../support/shipped-strategies.ts";
import { healthyView } from "../bot/risk/healthy.ts";

const folder = resolve(import.meta.dirname, "../../../strategies");
const readme = readFileSync(join(folder, "README.md"), "utf8");

test("the table has the strategies that ship", () => {
  const rows = readme.split("\n## ", 1)[0]?.matchAll(/^\| `([a-z-]+)` \|/gm) ?? [];
  expect(new Set(Array.from(rows, ([, name]) => name))).toEqual(new Set(shippedStrategies));
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
