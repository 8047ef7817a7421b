// A screening of a recording, beside the full run on it: the same account, latency and queue model.

import { join } from "node:path";
import { expect, test } from "vitest";
import type { BacktestJob } from "../../../../src/backtest/outcome.ts";
import { recordingOf } from "../../../../src/backtest/recorded/recording.ts";
import { botOfSession, runRecorded } from "../../../../src/backtest/recorded/run-recorded.ts";
import { readSession } from "../../../../src/backtest/recorded/session.ts";
import { inRecording, runScreened } from "../../../../src/backtest/screen/run-screened.ts";
import { TapeCache } from "../../../../src/backtest/screen/tape-cache.ts";
import { loadConfiguration } from "../../../../src/configuration.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";
import { PROJECT } from "../../../support/quoin.ts";
import { scratchFolder } from "../../../support/scratch.ts";

const path = join(PROJECT, "docs/sample-session.qrec");
const recording = recordingOf(path);
const session = readSession(recording);

const configured = (paper?: unknown) =>
  loadConfiguration(
    "config/demo.yaml",
    systemFiles,
    paper === undefined ? [] : [{ path: "accounts.12.paper", value: paper }],
  );

test("a screening tells the same world as the full run", async () => {
  const configuration = await configured();
  const job: Omit<BacktestJob, "sources"> = {
    file: "config/demo.yaml",
    name: null,
    settings: [],
    seed: 1n,
    days: 1,
    warmUpDays: 0,
    world: "fixed",
    shortcuts: true,
    keepsFills: false,
    recording: { path, name: "a", hash: "a" },
  };
  const full = await runRecorded(configuration.bot, job, recording);
  const cache = new TapeCache(scratchFolder("tapes"), systemClock);
  const screened = await runScreened(configuration, job, { cache, program: "" });
  expect(screened.line.world).toEqual(full.line.world);
});

test("a paper account is taken at its word", async () => {
  const { bot } = await configured({ latencyMs: 700, collateral: 5000, queueModel: "optimistic" });
  const { account, model, world } = inRecording(bot, path);
  expect([account.collateral, model, world.orderMs]).toEqual([5_000_000_000n, "optimistic", 700]);
});

test("latency and collateral are the session's, where the configuration names none", async () => {
  const { bot } = await configured();
  const { paper } = botOfSession(bot, recording, session).accounts[0] ?? {};
  const { account, model, world } = inRecording(bot, path);
  expect(account.collateral).toBe(session.accounts[0]?.collateral);
  expect([account.collateral, model, world.orderMs]).toEqual([paper?.collateral, paper?.queueModel, paper?.latencyMs]);
  expect(world.orderMs).not.toBe(200);
});
