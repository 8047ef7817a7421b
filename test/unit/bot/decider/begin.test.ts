// What the core reads of the ledger is heard from outside: a recording answers it, also one that is older than the question.

import { expect, test } from "vitest";
import { heardName, recordedReads } from "../../../../src/bot/decider/begin.ts";
import { forgetfulEngine } from "../../../../src/bot/ledger/memory/forgetful.ts";
import { ReplayEntries } from "../../../../src/bot/service/replay/replay-entries.ts";
import { account } from "../service/desks.ts";

test("a recorded dialect is played; a recording of before the question has none, and is read on", () => {
  const entries = new ReplayEntries({ monotonicMs: 0, wallMs: 0 }, () => {});
  const reads = recordedReads(forgetfulEngine().read, entries);
  const told = [[heardName("dialect", [account]), { cancel: "list" }]] as const;
  expect(entries.begin(told, () => reads.dialect(account))).toEqual({ cancel: "list" });
  expect(entries.begin([], () => reads.dialect(account))).toEqual({});
});
