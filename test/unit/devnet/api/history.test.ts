// What the index keeps of an account, and that it says when it keeps no more (S4.3).

import { expect, it } from "vitest";
import { createCredentials } from "../../../../src/devnet/api/http/credentials.ts";
import { createHost } from "../../../../src/devnet/api/http/host.ts";
import { createHistory, type History } from "../../../../src/devnet/api/routes/history.ts";
import { historyRoutes } from "../../../../src/devnet/api/routes/history-routes.ts";
import type { Kept } from "../../../../src/devnet/chain/pile.ts";
import type { ChainEvent } from "../../../../src/devnet/event.ts";
import { accountId, size, usdc } from "../../../../src/domain/units.ts";
import type { FundingRow } from "../../../../src/wire/rest/history.ts";

const ALICE = accountId(12n);
const MAX = 10_000;

/** The history of one payment a millisecond, from 1 on. */
function paid(count: number) {
  const history = createHistory(new Set());
  const event: ChainEvent = {
    type: "FundingPaid",
    accountId: ALICE,
    marketId: 1,
    inventory: size(1n),
    amount: usdc(-1n),
    fundingRate: 1n,
    timestampSec: 0,
  };
  for (let at = 1; at <= count; at += 1) {
    history.add({ height: at, timeMs: at, txHash: "own", isOwn: true, eventIndex: 0, events: [event] });
  }
  return history;
}
const summary = ({ rows, droppedMs }: Kept<FundingRow>) => [rows.length, rows[0]?.timeMs, droppedMs];

it("keeps rows newest first, and tells up to when they are gone", () => {
  expect(summary(paid(0).funding(ALICE))).toEqual([0, undefined, null]);
  expect(summary(paid(MAX).funding(ALICE))).toEqual([MAX, MAX, null]);
  expect(summary(paid(MAX + 3).funding(ALICE))).toEqual([MAX, MAX + 3, 3]);
});

it("goes on from what it saved", () => {
  const saved = paid(MAX + 3).save();
  const resumed = createHistory(new Set());
  resumed.load(saved);
  expect(summary(resumed.funding(ALICE))).toEqual([MAX, MAX + 3, 3]);
  expect(resumed.save()).toBe(saved);
});

/** Status of the owner's read of funding. */
async function read(history: History, query: string): Promise<number> {
  const owner = "ab".repeat(32);
  const credentials = createCredentials({ apiKeys: [{ key: "key", owner }], sessions: [] });
  const reads = { ownerOf: () => owner } as never;
  const host = createHost(historyRoutes({ history, reads, credentials }), { log: () => undefined });
  const found = host.find("GET", `/v1/accounts/12/funding?${query}`);
  if (!("route" in found)) throw new Error("there is no such route");
  const header = (name: string) => (name === "x-api-key" ? "key" : undefined);
  return (await host.handle(found.route, { ...found.head, header, body: new Uint8Array() })).status;
}

it("answers 410 where a page would go on among rows that are gone, and all pages before", async () => {
  const whole = paid(MAX);
  const cut = paid(MAX + 3);
  for (const query of ["limit=10", "limit=1000&offset=9000", "limit=1000&offset=9001&startTime=4"])
    expect([query, await read(cut, query)]).toEqual([query, 200]);
  for (const query of ["limit=1000&offset=9001", "offset=10000", "offset=10000&startTime=3", "marketId=2"])
    expect([query, await read(cut, query), await read(whole, query)]).toEqual([query, 410, 200]);
});
