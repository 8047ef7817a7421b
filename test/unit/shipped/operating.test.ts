// The operator's guide and runbook say what is so: configuration loads, commands exist, exit codes, latches and metrics are ours.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../../src/bot/telemetry/metrics.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_ORDERS_MAY_REST, EXIT_USAGE } from "../../../src/cli/host.ts";
import { latchKinds } from "../../../src/domain/latch.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { loadConfiguration } from "../../../src/sim/configuration.ts";
import { PROJECT, quoinDone } from "../../support/quoin.ts";

const guide = readFileSync(join(PROJECT, "docs/operating.md"), "utf8");
const both = guide + readFileSync(join(PROJECT, "docs/runbook.md"), "utf8");
const unit = (name: string) => readFileSync(join(PROJECT, "config/systemd", name), "utf8");
/** First cells of a table's rows, without their backticks. */
const cellsUnder = (header: string): readonly string[] => {
  const [, table = ""] = guide.split(`| ${header} |`);
  const rows = table.split("\n\n")[0]?.split("\n").slice(2) ?? [];
  return rows.map((row) => (row.split("|")[1] ?? "").trim().replaceAll("`", ""));
};

describe("the guide", () => {
  it("shows a configuration that loads, with keys and ledger where the units put them", async () => {
    const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
    const folder = mkdtempSync(join(tmpdir(), "quoin-guide-"));
    const file = join(folder, "quoin.yaml");
    writeFileSync(file, yaml);
    const { bot } = await loadConfiguration(file, systemFiles).finally(() => rmSync(folder, { recursive: true }));
    const { accounts, ledger } = bot;
    expect(accounts[0]?.agentKeyFile).toBe("/run/credentials/quoin.service/agent.key");
    expect(accounts[0]?.watchdogKeyFile).toBe("/run/credentials/quoin-watchdog.service/watchdog.key");
    for (const name of ["quoin.service", "quoin-watchdog.service"]) expect(unit(name)).toContain("/run/credentials/");
    expect(unit("quoin.service")).toContain(`agentKeyFile: ${accounts[0]?.agentKeyFile}`);
    expect(unit("quoin-watchdog.service")).toContain(`watchdogKeyFile: ${accounts[0]?.watchdogKeyFile}`);
    expect(unit("quoin.service")).toContain(`ledger.file: ${ledger.file}`);
  });

  it("names every exit code, and no other", () => {
    const codes = [EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_ORDERS_MAY_REST];
    expect(cellsUnder("Exit code | Means | systemd")).toEqual([...codes.map(String), "a signal"]);
  });

  it("says what to do about every latch", () => {
    expect(new Set(cellsUnder("Latch | What happened | What to do"))).toEqual(new Set(latchKinds));
  });

  it("names metrics that exist", () => {
    const known = createMetrics().all.map(({ name }) => name);
    const named = [...both.matchAll(/\bquoin_[a-z_0-9]+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ""));
    expect(named.length).toBeGreaterThan(15);
    for (const name of named) expect(known).toContain(name);
  });

  it("writes every command with an absolute path: outside the checkout npx would ask npm's registry", () => {
    expect([...both.matchAll(/npx quoin [a-z].*/g)].map(([line]) => line)).toEqual([]);
    expect([...both.matchAll(/(?:^|[`\s(])quoin (?:[a-z]+ )?[a-z-]+ --config.*/gm)].map(([line]) => line)).toEqual([]);
    expect(guide).toContain("ln -s /opt/quoin/src/start.js /usr/local/bin/quoin");
  });

  it("names commands that exist", async () => {
    const named = [...both.matchAll(/\bquoin (ledger )?([a-z]+(?:-[a-z]+)?) --(?:config|out)\b/g)];
    expect(named.length).toBeGreaterThan(10);
    const [main, ledger] = await Promise.all([quoinDone(["--help"]), quoinDone(["ledger", "--help"])]);
    for (const [, of, command = ""] of named) {
      const { stdout } = of === undefined ? main : ledger;
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
    }
  });
});
