// What a search hands over: a shadow with all parameters of its market, and a copy in which nothing else has changed.

import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fragmentText, withShadows } from "../../../../src/backtest/tune/hand-over.ts";
import { loadConfiguration } from "../../../../src/configuration.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";
import { backtestFiles } from "../scene.ts";

const settings = [
  { path: "accounts.12.markets.1.params.halfSpreadBps", value: 2.5 },
  { path: "accounts.12.markets.1.params.levels", value: 3 },
  { path: "accounts.12.markets.2.params.size", value: 0.25 },
];

test("the fragment has one shadow a market, with what it changes and what it leaves", () => {
  expect(fragmentText(readFileSync(backtestFiles(), "utf8"), settings)).toBe(
    [
      "# accounts.12.markets.1",
      'shadow: { strategy: "fixed-spread", params: { halfSpreadBps: 2.5, size: 0.5, levels: 3, stepBps: 4 } }',
      "# accounts.12.markets.2",
      'shadow: { strategy: "glft", params: { size: 0.25, levels: 1, maxInventory: 5 } }',
      "",
    ].join("\n"),
  );
});

test("the copy loads, trades as before, and has the shadow; one that was there is replaced", async () => {
  const file = backtestFiles();
  const before = readFileSync(file, "utf8");
  const copy = withShadows(withShadows(before, [{ path: settings[0]?.path ?? "", value: 9 }]), settings);
  writeFileSync(file, copy);
  const { bot } = await loadConfiguration(file, systemFiles);
  const markets = bot.accounts.flatMap((account) => account.markets);
  expect(markets.map(({ strategy }) => strategy.name)).toEqual(["fixed-spread", "glft"]);
  expect(markets[0]?.strategy.params).toMatchObject({ halfSpreadBps: 4 });
  expect(markets[0]?.shadow?.strategy.params).toMatchObject({ halfSpreadBps: 2.5, levels: 3 });
  expect(copy.replaceAll(/, shadow: \{.*?\} \}(?= \})/g, "")).toBe(before);
});
