// The operator's guide and runbook say what is so: the configuration loads, the package is what the units start, exit codes and latches are ours.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cancelTiming, processTiming } from "../../../src/bot/timing.ts";
import { loadConfiguration } from "../../../src/configuration.ts";
import { latchKinds } from "../../../src/domain/latch.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_ORDERS_MAY_REST, EXIT_USAGE } from "../../../src/host/host.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { PROJECT } from "../../support/quoin.ts";

const guide = readFileSync(join(PROJECT, "docs/operating.md"), "utf8");
const both = guide + readFileSync(join(PROJECT, "docs/runbook.md"), "utf8");
const units = ["quoin.service", "quoin-watchdog.service"];
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
    for (const name of units) expect(unit(name)).toContain("/run/credentials/");
    expect(unit("quoin.service")).toContain(`agentKeyFile: ${accounts[0]?.agentKeyFile}`);
    expect(unit("quoin-watchdog.service")).toContain(`watchdogKeyFile: ${accounts[0]?.watchdogKeyFile}`);
    expect(unit("quoin.service")).toContain(`ledger.file: ${ledger.file}`);
  });

  it("names every exit code, and no other", () => {
    const codes = [EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_ORDERS_MAY_REST];
    expect(cellsUnder("Exit code | Means | systemd")).toEqual([...codes.map(String), "a signal"]);
  });

  it("has the times that the files and the program have", () => {
    const file = (name: string) => readFileSync(join(PROJECT, "config", name), "utf8");
    const [, graceSecs] = /stop_grace_period: (\d+)s/.exec(file("compose.yaml")) ?? [];
    expect(file("kubernetes/quoin.yaml")).toContain(`terminationGracePeriodSeconds: ${graceSecs}\n`);
    expect(guide).toContain(`| a stop | waits ${graceSecs} s, then kills | the same |`);
    const of = (key: string) => Number(new RegExp(`^${key}=(\\d+)$`, "m").exec(unit("quoin.service"))?.[1]);
    expect(guide).toContain(`| restarts after ${of("RestartSec")} s |`);
    expect([of("WatchdogSec"), guide.includes("every ten seconds that it turns; after thirty without")]).toEqual([
      30,
      true,
    ]);
    expect(guide).toContain(`for up to ${cancelTiming.deadlineMs / 1000} s`);
    expect(guide).toContain(`not confirmed within ${cancelTiming.deadlineMs / 1000} s`);
    expect(guide).toContain(`cancels not within ${cancelTiming.abandonMs / 1000} s`);
    expect(guide).toContain("The log warns a week, a day and an hour ahead");
    expect(Object.keys(processTiming.keyWarningsMs)).toEqual(["week", "day", "hour"]);
  });

  it("says what to do about every latch", () => {
    expect(new Set(cellsUnder("Latch | What happened | What to do"))).toEqual(new Set(latchKinds));
  });

  it("installs the package where the units start it: outside a checkout npx would ask npm's registry", () => {
    expect([...both.matchAll(/npx quoin [a-z].*/g)].map(([line]) => line)).toEqual([]);
    expect(guide).toContain("npm install --global --prefix /usr/local ./quoin-");
    for (const name of units) expect(unit(name)).toMatch(/^ExecStart=\/usr\/local\/bin\/quoin /m);
  });

  it("has what stays stopped after which exit code as the unit has it", () => {
    const [, table = ""] = guide.split("| Exit code | Means | systemd |");
    const stopped = [...(table.split("\n\n")[0] ?? "").matchAll(/^\| (\d) \|.*\| stays stopped[^|]*\|$/gm)];
    const [, prevented = ""] = /^RestartPreventExitStatus=(.*)$/m.exec(unit("quoin.service")) ?? [];
    expect(stopped.map(([, code]) => Number(code))).toEqual([EXIT_DONE, ...prevented.split(" ").map(Number)]);
  });
});
