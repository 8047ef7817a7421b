// When the audit's newest hash is told: at the start to the log, then once a day (UTC) to log and webhook.

import { beforeEach, expect, test } from "vitest";
import { AuditHead } from "../../../../../src/bot/service/lifecycle/audit-head.ts";
import type { Log } from "../../../../../src/bot/telemetry/log.ts";
import { DAY_MS, microtasks } from "../../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";

let ledger: { auditHead: string };
let clock: ReturnType<typeof createVirtualClock>;
let logged: unknown[];
let told: unknown[];
let head: AuditHead;

beforeEach(() => {
  ledger = { auditHead: "aa" };
  clock = createVirtualClock({ startMs: DAY_MS - 60_000, settle: microtasks });
  logged = [];
  told = [];
  const log = { info: (fields: { readonly head?: string }) => logged.push(fields.head) } as unknown as Log;
  head = new AuditHead({ ledger, clock, log, tell: ({ reason }) => told.push(reason) });
});

test("once at the start, and once a day from then on", async () => {
  head.look();
  head.look();
  expect([logged, told]).toEqual([["aa"], []]);
  ledger.auditHead = "bb";
  await clock.advance(59_999);
  head.look();
  expect(logged).toEqual(["aa"]);
  await clock.advance(1);
  head.look();
  head.look();
  expect([logged, told]).toEqual([["aa", "bb"], [expect.stringContaining("bb")]]);
});

test("nothing while there is no row", async () => {
  ledger.auditHead = "";
  head.look();
  await clock.advance(DAY_MS);
  head.look();
  expect([logged, told]).toEqual([[], []]);
});
