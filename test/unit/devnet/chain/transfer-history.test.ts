// What the index keeps of an owner's transfers, and that it says when it keeps no more (S2.9).

import { describe, expect, it } from "vitest";
import { createTransferHistory, type TransferHistory } from "../../../../src/devnet/chain/transfer-history.ts";
import { accountId } from "../../../../src/domain/units.ts";

const OWNER = "ab".repeat(32);
const MAX = 10_000;
const PAGE = 50;

/** One transfer a millisecond, from 1 on. */
function sent(count: number): TransferHistory {
  const history = createTransferHistory();
  const facts = { to_account_id: "13", from_owner: OWNER, to_owner: OWNER, token_id: "0", amount: "1" };
  for (let at = 1; at <= count; at += 1) {
    const event = { type: "AccountChanged", name: "Transferred", accountId: accountId(12n), facts } as const;
    history.add({ height: at, timeMs: at, txHash: "own", isOwn: true, eventIndex: 0, events: [event] });
  }
  return history;
}

/** Times of all transfers that pages give, and how the walk ended. */
function walk(history: TransferHistory): { readonly timesMs: readonly number[]; readonly end: unknown } {
  const timesMs: number[] = [];
  let cursor: string | null = null;
  while (true) {
    const page = history.page(OWNER, cursor);
    if (page === undefined || page.droppedMs !== null) return { timesMs, end: page?.droppedMs };
    timesMs.push(...page.items.map(({ timestampMs }) => timestampMs));
    cursor = page.nextCursor;
    if (cursor === null) return { timesMs, end: null };
  }
}
const downFrom = (newest: number, count: number) => Array.from({ length: count }, (_, nth) => newest - nth);

describe("pages", () => {
  it.each([0, 1, PAGE, PAGE + 1, MAX])("of %d transfers give each once, newest first", (count) => {
    expect(walk(sent(count))).toEqual({ timesMs: downFrom(count, count), end: null });
  });

  it("say where rows are gone, in place of a short page", () => {
    expect(walk(sent(MAX + 3))).toEqual({ timesMs: downFrom(MAX + 3, MAX), end: 3 });
  });

  it("do the same after a restart", () => {
    const saved = sent(MAX + 3).save();
    const resumed = createTransferHistory();
    resumed.load(saved);
    expect(walk(resumed)).toEqual({ timesMs: downFrom(MAX + 3, MAX), end: 3 });
    expect(resumed.save()).toBe(saved);
  });

  it("are none behind a cursor that no page gave", () => {
    const history = sent(2 * PAGE);
    for (const cursor of ["", "x", "1-0", "0-0"])
      expect([cursor, history.page(OWNER, cursor)]).toEqual([cursor, undefined]);
  });
});
