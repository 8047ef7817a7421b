// The service units: systemd takes them, their commands are ours, the exit codes that they name are ours, and a stop leaves time to cancel.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultMassCancel } from "../../../src/bot/decider/acting/mass-cancel.ts";
import { EXIT_ORDERS_MAY_REST, EXIT_USAGE } from "../../../src/host/host.ts";
import { isInstalled } from "../../support/installed.ts";
import { PROJECT } from "../../support/quoin.ts";

const CONFIG = "/etc/quoin/quoin.yaml";
/** Where `npm install --global --prefix /usr/local` puts it. */
const COMMAND = "/usr/local/bin/quoin";
const hasSystemd = isInstalled(["systemd-analyze", "--version"]);
if (!hasSystemd) console.warn("skipped: systemd-analyze is not installed here; it comes with systemd");

/** Key to its values, in the order of the file. */
function read(unit: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const line of readFileSync(join(PROJECT, "config/systemd", unit), "utf8").split("\n")) {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) found.set(key, [...(found.get(key) ?? []), value]);
    else expect(line, "a comment, a section or nothing").toMatch(/^(#.*|\[(Unit|Service|Install)\])?$/);
  }
  return found;
}

const only = (unit: string, key: string): string => {
  const values = read(unit).get(key) ?? [];
  expect(values, `${unit}: ${key}`).toHaveLength(1);
  return values[0] ?? "";
};

describe.each([
  ["quoin.service", "run", [EXIT_USAGE, EXIT_ORDERS_MAY_REST], "agent.key:/etc/quoin/keys/agent.key"],
  ["quoin-watchdog.service", "watchdog", [EXIT_USAGE], "watchdog.key:/etc/quoin/keys/watchdog.key"],
  ["quoin-fleet.service", "fleet run", [EXIT_USAGE, EXIT_ORDERS_MAY_REST], "keys:/etc/quoin/keys"],
] as const)("%s", (unit, command, final, credential) => {
  // That the command line takes these words is held by the scenarios, which start each of the three so.
  it(`runs "quoin ${command}" of the installed package with a configuration`, () => {
    expect(only(unit, "ExecStart")).toBe(`${COMMAND} ${command} --config ${CONFIG}`);
  });

  // systemd-analyze comes with systemd: where a machine runs without it, this is skipped with a line that says so.
  it.skipIf(!hasSystemd)("is what systemd understands", () => {
    const folder = mkdtempSync(join(tmpdir(), "quoin-unit-"));
    const file = join(folder, unit);
    writeFileSync(file, readFileSync(join(PROJECT, "config/systemd", unit), "utf8").replace(COMMAND, "/bin/true"));
    // What it does not know it ignores: that is a line on stderr, and exit 0.
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
    rmSync(folder, { recursive: true });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("starts it again, but not after an end that would come again or that a person should look at", () => {
    expect(only(unit, "Restart")).toBe("on-failure");
    expect(only(unit, "RestartPreventExitStatus").split(" ").map(Number)).toEqual(final);
    expect(read(unit).has("SuccessExitStatus")).toBe(false);
  });

  it("hands the key over as a credential, never in the environment", () => {
    expect(only(unit, "LoadCredential")).toBe(credential);
    expect([...read(unit).keys()].filter((name) => name.includes("Environment"))).toEqual([]);
  });

  it("gives it no rights that it does not need, and lets the runtime compile", () => {
    expect(only(unit, "User")).toBe("quoin");
    expect(only(unit, "NoNewPrivileges")).toBe("yes");
    expect(only(unit, "ProtectSystem")).toBe("strict");
    expect(only(unit, "CapabilityBoundingSet")).toBe("");
    expect(only(unit, "LimitCORE")).toBe("0");
    expect(read(unit).has("MemoryDenyWriteExecute")).toBe(false);
    expect(only(unit, "SystemCallFilter")).toBe("@system-service @pkey");
  });
});

it("a stop has the time that it cancels for, and then some; a reload of the daemon is SIGHUP", () => {
  for (const unit of ["quoin.service", "quoin-fleet.service"]) {
    expect(only(unit, "KillSignal")).toBe("SIGTERM");
    expect(Number(only(unit, "TimeoutStopSec"))).toBeGreaterThanOrEqual(defaultMassCancel.deadlineMs / 1000 + 10);
  }
  expect(only("quoin.service", "ExecReload")).toBe("/bin/kill -HUP $MAINPID");
});

it.each(["quoin.service", "quoin-watchdog.service"])(
  "%s reports that it is ready and that it turns; a start has longer than the exchange may take to answer",
  (unit) => {
    expect([only(unit, "Type"), only(unit, "NotifyAccess")]).toEqual(["notify", "all"]);
    expect(Number(only(unit, "WatchdogSec"))).toBeGreaterThan(10);
    expect(Number(only(unit, "TimeoutStartSec"))).toBeGreaterThan(90);
  },
);
