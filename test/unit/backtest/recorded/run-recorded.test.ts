// Which queue model fills the orders of a run on a recording.

import { expect, test } from "vitest";
import { onPaper } from "../../../../src/backtest/recorded/run-recorded.ts";
import { loadConfiguration } from "../../../../src/configuration.ts";
import type { QueueModel } from "../../../../src/domain/queue.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";

const fit: QueueModel = { fitted: { exponent: 3, ci95: [1, 5], fills: 400 } };

async function modelOf(paper: unknown): Promise<QueueModel | undefined> {
  const settings = paper === undefined ? [] : [{ path: "accounts.12.paper", value: paper }];
  const { bot } = await loadConfiguration("config/demo.yaml", systemFiles, settings);
  return onPaper(bot, { accounts: [], sendToAnswerMs: [] }, { queueModel: fit }).accounts[0]?.paper?.queueModel;
}

test("the recording's own fit fills the orders of an account that names no model, on paper or not", async () => {
  expect(await modelOf(undefined)).toEqual(fit);
  expect(await modelOf(true)).toEqual(fit);
  expect(await modelOf({ collateral: 5000 })).toEqual(fit);
});

test("a model that the account names is taken at its word", async () => {
  expect(await modelOf({ queueModel: "riskAverse" })).toBe("riskAverse");
  expect(await modelOf({ queueModel: "optimistic" })).toBe("optimistic");
});
