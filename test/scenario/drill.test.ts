// `quoin drill` on the shipped configurations: drills pass, and can fail. All ten are held in test/long/drill.test.ts.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { endAll, PROJECT, quoinDone } from "../support/quoin.ts";

const folder = mkdtempSync(join(tmpdir(), "quoin-drill-"));
afterEach(endAll);

type Result = { readonly drill: string; readonly ok: boolean; readonly seconds: number; readonly detail: string };

async function drill(config: string, ...names: readonly string[]) {
  const only = names.flatMap((name) => ["--only", name]);
  const { code, stdout } = await quoinDone(["drill", "--config", config, "--json", ...only]);
  const results = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Result);
  return { code, results };
}

const edited = (edit: (yaml: string) => string): string => {
  const file = join(folder, "edited.yaml");
  writeFileSync(file, edit(readFileSync(join(PROJECT, "config/production.example.yaml"), "utf8")));
  return file;
};

it("holds the demo's own configuration against a dead index and a kill", async () => {
  const { code, results } = await drill(join(PROJECT, "config/demo.yaml"), "kill9", "staleOracle");
  expect(results).toEqual([
    { drill: "staleOracle", ok: true, seconds: expect.any(Number), detail: expect.any(String) },
    { drill: "kill9", ok: true, seconds: expect.any(Number), detail: expect.any(String) },
  ]);
  expect(code).toBe(0);
});

it("fails without a watchdog: nobody cancels what a daemon without network left", async () => {
  const { code, results } = await drill(
    edited((yaml) => yaml.replace(/\n\s*watchdogKeyFile.*/, "")),
    "cutNetwork",
  );
  expect(results).toMatchObject([
    { drill: "cutNetwork", ok: false, detail: expect.stringMatching(/names no watchdogKeyFile/) },
  ]);
  expect(code).toBe(1);
  rmSync(folder, { recursive: true, force: true });
});
