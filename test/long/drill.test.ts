// Every drill on the shipped configurations, as an operator holds them before going live.

import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT, quoinDone } from "../support/quoin.ts";

it.each(["demo.yaml", "production.example.yaml"])("config/%s passes all ten", async (name) => {
  const { code, stdout } = await quoinDone(["drill", "--config", join(PROJECT, "config", name), "--json"]);
  const results = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly ok: boolean });
  expect(results).toHaveLength(10);
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  expect(code).toBe(0);
});
