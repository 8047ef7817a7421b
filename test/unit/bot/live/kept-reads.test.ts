// What the machine reads of the ledger is noted as it is read, and a recording gives it again, also one that is older than the question.

import { expect, test } from "vitest";
import { forgetfulEngine } from "../../../../src/bot/ledger/memory/forgetful.ts";
import { keptReads, noted, readsGiven } from "../../../../src/bot/live/kept-reads.ts";
import { account, Desks, other } from "../service/desks.ts";

test("what a ledger gave is given again, for the same arguments alone", () => {
  const world = new Desks();
  world.desk().records.learned("cancel", "list", 1);
  world.ledger.commit();
  const reads = noted(world.ledger.read);
  expect(reads.dialect(account)).toEqual({ cancel: "list" });
  const again = keptReads(readsGiven(reads));
  expect(again.dialect(account)).toEqual({ cancel: "list" });
  expect(again.dialect(other)).toEqual({});
});

test("what can be read once is given as often as it is asked for", () => {
  const rows = [1, 2];
  const reads = noted({ ...forgetfulEngine().read, fills: () => rows.values() as never });
  expect([[...reads.fills(account)], [...keptReads(readsGiven(reads)).fills(account)]]).toEqual([rows, rows]);
});

test("edge: what was read before anything was noted is that of an empty ledger", () => {
  expect(readsGiven(new Desks().ledger.read)).toEqual([]);
  expect(keptReads([]).dialect(account)).toEqual({});
});
