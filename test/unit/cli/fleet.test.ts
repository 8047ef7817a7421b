// Which configurations a fleet takes: one whose exchange every node can reach.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { check } from "../../../src/cli/check.ts";
import { fleetInit } from "../../../src/cli/fleet.ts";
import { fleetRun } from "../../../src/cli/fleet-run.ts";
import { run } from "../../../src/cli/run.ts";
import type { Host } from "../../../src/host/host.ts";
import { processHost } from "../../../src/host/process.ts";
import { backtestFiles } from "../backtest/scene.ts";

test("fleet beside an embedded exchange is for backtests: valid, and neither a node nor a daemon starts with it", async () => {
  const config = backtestFiles();
  writeFileSync(join(dirname(config), "database.url"), "postgres://127.0.0.1:1/fleet", { mode: 0o600 });
  writeFileSync(config, `${readFileSync(config, "utf8")}fleet: { databaseUrlFile: database.url, node: a }\n`);
  const errors: string[] = [];
  const stderr = (text: string | Uint8Array) => void errors.push(`${text}`);
  const host: Host = { ...processHost, stdout: () => {}, stderr, onSignal: () => () => {} };
  expect(await check({ config, json: false, online: false }, host)).toBe(0);
  expect([await fleetRun({ config }, host), await fleetInit({ config }, host), await run({ config }, host)]).toEqual([
    2, 2, 2,
  ]);
  const embedded = `quoin: ${config}: venue.embedded: no other node reaches that exchange; name its validatorUrl\n`;
  const fleet = `quoin: fleet: another node may quote these accounts; start this one with npx quoin fleet run --config ${config}\n`;
  expect(errors).toEqual([embedded, embedded, fleet]);
});
