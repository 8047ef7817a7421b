// Rules of a devnet's file that no single value can break.

import { accountNumber, amountUsdc, marketNumber } from "../../domain/scalars.ts";
import type { Fault } from "../../kernel/yaml/fault.ts";
import { listAt, mappingOf, readAs, repeated } from "../../kernel/yaml/partial-parse.ts";

type At = (path: readonly PropertyKey[], message: string) => Fault;

/** `value`: the whole file, right or not. */
export function* jointFaults(value: unknown, at: At): Generator<Fault> {
  const markets = listAt(value, "markets").map(mappingOf);
  for (const [index, id] of repeated(markets.map(({ marketId }) => readAs(marketNumber, marketId)))) {
    yield at(["markets", index, "marketId"], `${id} stands twice; each market once`);
  }
  for (const [index, market] of markets.entries()) {
    const { initialMarginRatioBps: initial, maintenanceMarginRatioBps: maintenance } = market;
    if (typeof initial === "number" && typeof maintenance === "number" && maintenance >= initial) {
      yield at(["markets", index, "maintenanceMarginRatioBps"], "must be below initialMarginRatioBps");
    }
    yield* tierFaults(at, ["markets", index, "marginTiers"], listAt(market, "marginTiers"));
  }
  yield* accountFaults(at, listAt(value, "accounts"));
}

function* tierFaults(at: At, path: readonly PropertyKey[], tiers: readonly unknown[]): Generator<Fault> {
  let before: { readonly floor: bigint | undefined; readonly ratio: unknown } | undefined;
  for (const [row, written] of tiers.entries()) {
    const { notionalFloor, maintenanceMarginRatioBps: ratio } = mappingOf(written);
    const floor = readAs(amountUsdc, notionalFloor);
    const where = [...path, row, "notionalFloor"];
    if (before === undefined) {
      if (floor !== undefined && floor !== 0n) yield at(where, "the first tier must start at 0");
    } else {
      if (floor !== undefined && before.floor !== undefined && floor <= before.floor)
        yield at(where, "must be above the tier before it");
      if (typeof ratio === "number" && typeof before.ratio === "number" && ratio < before.ratio)
        yield at([...path, row, "maintenanceMarginRatioBps"], "must not be below the tier before it");
    }
    before = { floor, ratio };
  }
}

function* accountFaults(at: At, written: readonly unknown[]): Generator<Fault> {
  const accounts = written.map(mappingOf).map(({ accountId, masterAccountId }) => ({
    id: readAs(accountNumber, accountId),
    master: readAs(accountNumber, masterAccountId),
    isSubaccount: (masterAccountId ?? null) !== null,
  }));
  for (const [index, id] of repeated(accounts.map((account) => account.id))) {
    yield at(["accounts", index, "accountId"], `${id} stands twice; each account once`);
  }
  const masters = new Set(accounts.flatMap(({ id, isSubaccount }) => (id === undefined || isSubaccount ? [] : [id])));
  for (const [index, { master }] of accounts.entries()) {
    if (master === undefined || masters.has(master)) continue;
    const allowed = "must be the id of an account here that is no subaccount itself";
    yield at(["accounts", index, "masterAccountId"], `${master} ${allowed}`);
  }
}
