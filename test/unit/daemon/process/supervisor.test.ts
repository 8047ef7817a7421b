// Which messages the service manager gets and when they stop; then the daemon itself, with a systemd-notify that records its arguments.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { superviseBy } from "../../../../src/daemon/process/supervisor.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { endAll, PROJECT, quoinProcess } from "../../../support/quoin.ts";
import { until } from "../../../support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "quoin-supervisor-"));
afterAll(async () => {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
});

function scene(watchdogMs: number | null) {
  const heard: string[] = [];
  const clock = createVirtualClock({ startMs: 1_790_000_000_000 });
  const bot = { stuckForMs: 0, sinceTurnMs: () => bot.stuckForMs };
  const supervised = superviseBy({ notify: (message) => heard.push(message), watchdogMs }, clock);
  return { heard, clock, bot, supervised };
}

describe("the supervisor", () => {
  it("hears once that the daemon is ready, however many lives follow in the process", () => {
    const { heard, bot, supervised } = scene(null);
    supervised.trades(bot);
    supervised.pauses();
    supervised.trades(bot);
    expect(heard).toEqual(["READY=1"]);
  });

  it("hears three times in its period from a daemon that turns", () => {
    const { heard, clock, bot, supervised } = scene(30_000);
    supervised.trades(bot);
    clock.advanceSync(30_000);
    expect(heard).toEqual(["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"]);
  });

  it("hears nothing from one that does not, and again when it does", () => {
    const { heard, clock, bot, supervised } = scene(30_000);
    supervised.trades(bot);
    bot.stuckForMs = 10_000;
    clock.advanceSync(60_000);
    expect(heard).toEqual(["READY=1"]);
    bot.stuckForMs = 0;
    clock.advanceSync(10_000);
    expect(heard).toEqual(["READY=1", "WATCHDOG=1"]);
  });

  it("hears on while one run follows another in the process: an exchange that is away is no reason to restart", () => {
    const { heard, clock, bot, supervised } = scene(30_000);
    supervised.trades(bot);
    bot.stuckForMs = 100_000;
    supervised.pauses();
    clock.advanceSync(10_000);
    expect(heard).toEqual(["READY=1", "WATCHDOG=1"]);
  });

  it("hears of the stop, and no more after it", () => {
    const { heard, clock, bot, supervised } = scene(30_000);
    supervised.trades(bot);
    supervised.stops();
    clock.advanceSync(60_000);
    expect(heard).toEqual(["READY=1", "STOPPING=1"]);
  });
});

// The stand-in for systemd-notify is a shell script, which Windows does not run, and there is no systemd there.
it.skipIf(process.platform === "win32")("the daemon tells it by systemd-notify: ready, turning, stopping", async () => {
  const words = join(folder, "words");
  const notify = join(folder, "systemd-notify");
  writeFileSync(notify, `#!/bin/sh\necho "$1" >> ${words}\n`);
  chmodSync(notify, 0o755);
  const demo = readFileSync(join(PROJECT, "config/demo.yaml"), "utf8")
    .replace("embedded: devnet.yaml", `embedded: ${join(PROJECT, "config/devnet.yaml")}`)
    .replace("port: 9464", "port: 0");
  writeFileSync(join(folder, "quoin.yaml"), demo);
  const env = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    NOTIFY_SOCKET: join(folder, "socket"),
    WATCHDOG_USEC: "900000",
  };
  const daemon = quoinProcess(["run", "--config", join(folder, "quoin.yaml")], { env });
  const heard = () => (existsSync(words) ? readFileSync(words, "utf8").trim().split("\n") : []);
  await until("a turn is told", () => heard().includes("READY=1") && heard().includes("WATCHDOG=1"), 20_000);
  expect(await daemon.end("SIGTERM")).toBe(0);
  await until("the stop is told", () => heard().includes("STOPPING=1"));
});
