// Results that survive the process beside the account book, as text for the ledger and back: the price that a market was last marked at,
// and the day of each market and account.

import { type AccountId, type MarketId, type Price, price, size, type Usdc, usdc } from "../../../domain/units.ts";
import { CodedError, messageOf } from "../../../kernel/errors.ts";
import { type Json, parseJson, stringifyJson } from "../../../kernel/json.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { LedgerReads } from "../../ledger/store.ts";
import { confirmPrint, noPrints, type Print, type Prints } from "../../risk/prints.ts";
import { noPremiumRecord, type PremiumRecord } from "../../strategy/premium.ts";
import type { DayState } from "./day-tracker.ts";
import { type PremiumState, resumePremium } from "./premium-book.ts";

/** `markPrice` is null for the account, and for a market before its first print. */
export type Result = {
  readonly markPrice: Price | null;
  readonly day: DayState | null;
  readonly prints: Prints;
  /** Null: the market has never had a premium book. */
  readonly premium: PremiumState | null;
};

export const noResult: Result = { markPrice: null, day: null, prints: noPrints, premium: null };

export class ResultError extends CodedError<"result_malformed"> {}

export function resultText({ prints, ...result }: Result): string {
  const { against: _, ...kept } = prints;
  return stringifyJson({ ...result, prints: kept } as Json);
}

/** Throws ResultError and JsonError where `resultText` did not write the text. */
export function readResult(text: string): Result {
  const fields = fieldsOf(parseJson(text), "result");
  const { markPrice } = fields;
  return {
    markPrice: markPrice === null ? null : price(wholeOf(fields, "markPrice")),
    day: readDay(fields.day),
    prints: readPrints(fields.prints),
    premium: readPremium(fields.premium ?? null),
  };
}

export type RememberedResults = {
  /** Key null: the account's. */
  readonly results: ReadonlyMap<MarketId | null, Result>;
  /** What could not be read, a sentence each. */
  readonly faults: readonly string[];
};

/** Returns what earlier runs left. An unreadable result counts from zero and is named in `faults`. Throws what the storage throws. */
export function resultsOf(read: Pick<LedgerReads, "results">, accountId: AccountId): RememberedResults {
  const results = new Map<MarketId | null, Result>();
  const faults: string[] = [];
  for (const { marketId, state } of read.results(accountId)) {
    try {
      results.set(marketId, readResult(state));
    } catch (error) {
      const whose = marketId === null ? `account ${accountId}` : `market ${marketId} of account ${accountId}`;
      faults.push(`the result of ${whose} in the ledger cannot be read (${messageOf(error)}) and counts from zero`);
    }
  }
  return { results, faults };
}

/** The day of a market, or with null of the account, starts from zero at the next start of the process. */
export function forgetDay(
  ledger: Pick<Ledger, "read" | "keep">,
  accountId: AccountId,
  marketId: MarketId | null,
  atMs: number,
): void {
  const { results } = resultsOf(ledger.read, accountId);
  const state = resultText({ ...(results.get(marketId) ?? noResult), day: null });
  ledger.keep({ kind: "result", result: { accountId, marketId, state, atMs } });
}

/** The operator confirms: an unconfirmed print of the market, or with null of any market, is trusted at the next start of the process. */
export const trustPrints = (...of: OfMarket): void =>
  changeResults(...of, (result) => {
    const prints = confirmPrint(result.prints);
    return prints === result.prints ? result : { ...result, prints };
  });

/** The operator has accepted the losses of a market's premium book, or with null of all: they resume at the next start. */
export const resumePremiums = (...of: OfMarket): void =>
  changeResults(...of, (result) => {
    const premium = result.premium === null ? null : resumePremium(result.premium);
    return premium === result.premium ? result : { ...result, premium };
  });

type OfMarket = readonly [
  ledger: Pick<Ledger, "read" | "keep">,
  accountId: AccountId,
  marketId: MarketId | null,
  atMs: number,
];

/** Writes down the results of the market, or with null of every one, that `change` alters. */
function changeResults(
  ledger: OfMarket[0],
  accountId: AccountId,
  marketId: MarketId | null,
  atMs: number,
  change: (result: Result) => Result,
): void {
  for (const [market, result] of resultsOf(ledger.read, accountId).results) {
    if (market === null || (marketId !== null && marketId !== market)) continue;
    const changed = change(result);
    if (changed !== result)
      ledger.keep({ kind: "result", result: { accountId, marketId: market, state: resultText(changed), atMs } });
  }
}

function readPremium(value: unknown): PremiumState | null {
  if (value === null) return null;
  const fields = fieldsOf(value, "premium");
  const share = fieldsOf(fields.share, "share");
  const holding = fieldsOf(share.holding, "holding");
  const { stopped, from } = fields;
  if (stopped !== null && typeof stopped !== "string") throw malformed("stopped", "a sentence");
  return {
    target: size(wholeOf(fields, "target")),
    share: {
      holding: { inventory: size(wholeOf(holding, "inventory")), cost: amountOf(holding, "cost") },
      funding: amountOf(share, "funding"),
    },
    from: from === null ? null : amountOf(fields, "from"),
    stopped,
    record: readRecord(fields.record),
  };
}

/** Blocks before a restart do not adjoin those after it. */
function readRecord(value: unknown): PremiumRecord {
  const sums = fieldsOf(fieldsOf(value, "record").sums, "sums");
  const [blocks, xx, xy, yy] = ["blocks", "xx", "xy", "yy"].map((name) => Number(sums[name])) as [
    number,
    number,
    number,
    number,
  ];
  if (![blocks, xx, xy, yy].every(Number.isFinite) || blocks < 0 || xx < 0 || yy < 0)
    throw malformed("sums", "sums of squares and products");
  return { ...noPremiumRecord, sums: { blocks, xx, xy, yy } };
}

/** Undefined: an earlier version, which had no prints, wrote the result. */
function readPrints(value: unknown): Prints {
  if (value === undefined) return noPrints;
  const fields = fieldsOf(value, "prints");
  const { trusted, doubtful, intervalsMs } = fields;
  if (!Array.isArray(intervalsMs)) throw malformed("intervalsMs", "a list");
  return {
    trusted: trusted === null ? null : readPrint(trusted),
    doubtful:
      doubtful === null ? null : { ...readPrint(doubtful), isDated: fieldsOf(doubtful, "print").isDated === true },
    newestMs: Number(wholeOf(fields, "newestMs")),
    intervalsMs: intervalsMs.map((interval: unknown) => Number(wholeOf({ interval }, "interval"))),
    against: null,
  };
}

function readPrint(value: unknown): Print {
  const fields = fieldsOf(value, "print");
  return { price: price(wholeOf(fields, "price")), publishedMs: Number(wholeOf(fields, "publishedMs")) };
}

function readDay(value: unknown): DayState | null {
  if (value === null) return null;
  const fields = fieldsOf(value, "day");
  const result = fieldsOf(fields.result, "result");
  return {
    day: Number(wholeOf(fields, "day")),
    before: amountOf(fields, "before"),
    result: { pnl: amountOf(result, "pnl"), best: amountOf(result, "best") },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed(name, "an object");
  return value as Fields;
}

/** JSON yields short integers as number and long ones as bigint. */
function wholeOf(fields: Fields, name: string): bigint {
  const value = fields[name];
  if (typeof value === "bigint") return value;
  if (!Number.isSafeInteger(value)) throw malformed(name, "a whole number");
  return BigInt(value as number);
}

const amountOf = (fields: Fields, name: string): Usdc => usdc(wholeOf(fields, name));

const malformed = (name: string, wanted: string): ResultError =>
  new ResultError("result_malformed", `its ${name} is not ${wanted}`, { facts: { name } });
