// The audit of POST calls: what is written of each, and that somebody without a token cannot fill the disk.

import { expect, test } from "vitest";
import type { AuditEntry } from "../../../../../src/bot/ledger/store.ts";
import { auditTo } from "../../../../../src/bot/service/operator/audit.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";

let wallMs = 1_790_000_000_000;
const entries: AuditEntry[] = [];
const write = auditTo({
  ledger: {
    keep(record) {
      if (record.kind === "audit") entries.push(record.entry);
      return true;
    },
  },
  clock: { ...systemClock, wallMs: () => wallMs },
});
const call = {
  path: "/halt",
  address: "10.0.0.9",
  token: null,
  isAuthorized: true,
  body: '{"reason":"a drill"}',
  status: 200,
};

test("who, what, why, from where, when and what came of it", () => {
  entries.length = 0;
  write(call);
  expect(entries).toEqual([
    {
      atMs: wallMs,
      call: "POST /halt",
      caller: "10.0.0.9",
      isAuthorized: true,
      reason: "a drill",
      body: '{"reason":"a drill"}',
      status: 200,
    },
  ]);
});

test("a token below the administrator's is named before its address", () => {
  entries.length = 0;
  write({ ...call, token: "night-desk" });
  expect(entries).toMatchObject([{ caller: "night-desk at 10.0.0.9" }]);
});

test.each(["", "[", "null", '{"reason":7}'])("a body without a reason, %j, is kept without one", (body) => {
  entries.length = 0;
  write({ ...call, body, status: 400 });
  expect(entries).toMatchObject([{ reason: null, body, status: 400 }]);
});

test("of refused calls ten a minute are written; those of an operator always", () => {
  entries.length = 0;
  for (let count = 0; count < 100; count += 1) write({ ...call, isAuthorized: false, body: null, status: 401 });
  for (let count = 0; count < 20; count += 1) write(call);
  wallMs += 60_000;
  write({ ...call, isAuthorized: false, body: null, status: 401 });
  expect(entries.filter(({ isAuthorized }) => !isAuthorized)).toHaveLength(11);
  expect(entries.filter(({ isAuthorized }) => isAuthorized)).toHaveLength(20);
});
