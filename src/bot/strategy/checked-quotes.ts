// What a strategy returned, held against what quotes are: types do not reach a strategy's file, so a forgotten `return`, a promise or a
// NaN gets this far and no further.

import type { Lean, Quote, Quotes } from "../../domain/quotes.ts";
import { CodedError, messageOf } from "../../kernel/errors.ts";

/** `threw`: it threw instead; `slow`: it was not called; the others are what it returned. */
export type QuoteFaultKind = "threw" | "slow" | "nothing" | "promise" | "malformed" | "crossed";

/** Why a strategy quotes nothing this turn, in words that follow its name. */
export class QuoteFault extends CodedError<QuoteFaultKind> {}

/** More orders than any account may have open. */
const QUOTES_MAX = 1000;

/** What `quote` returns, if it is quotes. Throws QuoteFault for everything else, and for what `quote` throws. */
export function checkedQuotes(quote: () => unknown): Quotes {
  let returned: unknown;
  try {
    returned = quote();
  } catch (cause) {
    if (cause instanceof QuoteFault) throw cause;
    throw new QuoteFault("threw", `threw: ${messageOf(cause)}`, { cause });
  }
  if (returned === undefined || returned === null) throw new QuoteFault("nothing", "returned nothing");
  if (isThenable(returned)) {
    // Nobody waits for it; its failure must not end the process.
    Promise.resolve(returned).catch(() => {});
    throw new QuoteFault("promise", "returned a promise; quote must return its quotes at once");
  }
  const { quotes, fairValueUsd, reason, lean } = returned as Partial<Record<keyof Quotes, unknown>>;
  if (!Array.isArray(quotes) || quotes.length > QUOTES_MAX)
    throw malformed(`quotes, which must be a list of at most ${QUOTES_MAX}`);
  for (const [at, each] of quotes.entries()) if (!isQuote(each)) throw malformed(`quote ${at}`);
  if (fairValueUsd !== null && !Number.isFinite(fairValueUsd)) throw malformed(`fairValueUsd, ${fairValueUsd}`);
  if (reason !== null && typeof reason !== "string") throw malformed("reason, which must be text or null");
  if (lean !== undefined && !isLean(lean)) throw malformed("lean: an inventory and a wantedStd above zero");
  const checked = returned as Quotes;
  if (isCrossed(checked.quotes)) throw new QuoteFault("crossed", "returned a bid at or above an ask");
  return checked;
}

const malformed = (what: string): QuoteFault => new QuoteFault("malformed", `returned wrong ${what}`);

const isThenable = (value: unknown): boolean => typeof (value as { readonly then?: unknown }).then === "function";

function isLean(value: unknown): value is Lean {
  const { inventory, wantedStd } = (value ?? {}) as Partial<Record<keyof Lean, unknown>>;
  return Number.isFinite(inventory) && Number.isFinite(wantedStd) && Number(wantedStd) > 0;
}

function isQuote(value: unknown): value is Quote {
  const { side, level, price, size, reduceOnly, intent } = (value ?? {}) as Partial<Record<keyof Quote, unknown>>;
  return (
    (side === "buy" || side === "sell") &&
    Number.isSafeInteger(level) &&
    typeof price === "bigint" &&
    typeof size === "bigint" &&
    typeof reduceOnly === "boolean" &&
    (intent === "rest" || intent === "take")
  );
}

/** Whether a bid stands at or above an ask; a quote of no size, or at no price, is not there. */
function isCrossed(quotes: readonly Quote[]): boolean {
  let [bid, ask]: [bigint | null, bigint | null] = [null, null];
  for (const { side, price, size } of quotes) {
    if (size <= 0n || price <= 0n) continue;
    if (side === "buy" && (bid === null || price > bid)) bid = price;
    if (side === "sell" && (ask === null || price < ask)) ask = price;
  }
  return bid !== null && ask !== null && bid >= ask;
}
