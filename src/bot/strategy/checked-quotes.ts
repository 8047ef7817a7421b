// Checks what a strategy returned: types do not reach a strategy's file, so a forgotten `return`, a promise or a NaN gets this far, and no
// further.

import type { Lean, Quote, Quotes } from "../../domain/quotes.ts";
import { CodedError } from "../../kernel/errors.ts";
import { shown } from "../../kernel/shown.ts";
import { thrownWords } from "./thrown.ts";

/** `threw`: it threw instead; `slow`: it was not called; the others are what it returned. */
export type QuoteFaultKind = "threw" | "slow" | "nothing" | "promise" | "malformed" | "crossed";

/** Why a strategy quotes nothing this turn, in words that follow its name. */
export class QuoteFault extends CodedError<QuoteFaultKind> {}

/** More orders than any account may have open. */
const QUOTES_MAX = 1000;

/**
 * Returns a checked copy of what `quote` returns: the strategy may keep and change its own. Throws QuoteFault for anything else, and for
 * what `quote` throws.
 */
export function checkedQuotes(quote: () => unknown): Quotes {
  let returned: unknown;
  try {
    returned = quote();
  } catch (cause) {
    if (cause instanceof QuoteFault) throw cause;
    throw new QuoteFault("threw", `threw: ${thrownWords(cause)}`, { cause });
  }
  if (returned === undefined || returned === null) throw new QuoteFault("nothing", "returned nothing");
  if (isThenable(returned)) {
    // Nobody awaits it, and its rejection must not end the process.
    Promise.resolve(returned).catch(() => {});
    throw new QuoteFault("promise", "returned a promise; quote must return its quotes at once");
  }
  const { quotes, fairValueUsd, reason, lean } = returned as Partial<Record<keyof Quotes, unknown>>;
  if (!Array.isArray(quotes) || quotes.length > QUOTES_MAX)
    throw malformed("wrong quotes", `a list of at most ${QUOTES_MAX}`);
  const copied = quotes.map((each: unknown, at): Quote => {
    const { side, level, price, size, reduceOnly, intent } = (each ?? {}) as Quote;
    const copy = { side, level, price, size, reduceOnly, intent };
    const wrong = wrongKey(copy);
    if (wrong !== undefined) throw malformed(`${valueText(wrong, copy[wrong])} in quote ${at}`, rules[wrong][1]);
    return copy;
  });
  if (fairValueUsd !== null && !Number.isFinite(fairValueUsd))
    throw malformed(valueText("fairValueUsd", fairValueUsd), "a finite number or null");
  if (reason !== null && typeof reason !== "string") throw malformed(valueText("reason", reason), "text or null");
  if (lean !== undefined && !isLean(lean)) throw malformed("a wrong lean", "an inventory and a wantedStd above zero");
  if (isCrossed(copied)) throw new QuoteFault("crossed", "returned a bid at or above an ask");
  const checked = { quotes: copied, fairValueUsd: fairValueUsd as number | null, reason };
  return lean === undefined ? checked : { ...checked, lean: { inventory: lean.inventory, wantedStd: lean.wantedStd } };
}

/** The rule is in brackets, since a text about where it was returned follows. */
const malformed = (what: string, rule: string): QuoteFault =>
  new QuoteFault("malformed", `returned ${what} (must be ${rule})`);

const valueText = (key: string, value: unknown): string =>
  value === undefined ? `no ${key}` : `${key} ${shown(value)}`;

const isThenable = (value: unknown): boolean => typeof (value as { readonly then?: unknown }).then === "function";

function isLean(value: unknown): value is Lean {
  const { inventory, wantedStd } = (value ?? {}) as Partial<Record<keyof Lean, unknown>>;
  return Number.isFinite(inventory) && Number.isFinite(wantedStd) && Number(wantedStd) > 0;
}

/** The rule of each key of a quote. */
const rules: Readonly<Record<keyof Quote, readonly [(value: unknown) => boolean, string]>> = {
  side: [(value) => value === "buy" || value === "sell", '"buy" or "sell"'],
  level: [Number.isSafeInteger, "a whole number from 0 at the touch"],
  price: [(value) => typeof value === "bigint", "what priceFromUsd returns"],
  size: [(value) => typeof value === "bigint", "what sizeFromContracts or scaled returns"],
  reduceOnly: [(value) => typeof value === "boolean", "true or false"],
  intent: [(value) => value === "rest" || value === "take", '"rest" or "take"'],
};
const keys = Object.keys(rules) as readonly (keyof Quote)[];

/** Returns the first faulty key; undefined: it is a quote. */
const wrongKey = (quote: Partial<Record<keyof Quote, unknown>>): keyof Quote | undefined =>
  keys.find((key) => !rules[key][0](quote[key]));

/** Whether a bid is at or above an ask; a quote without size or price does not count. */
function isCrossed(quotes: readonly Quote[]): boolean {
  let [bid, ask]: [bigint | null, bigint | null] = [null, null];
  for (const { side, price, size } of quotes) {
    if (size <= 0n || price <= 0n) continue;
    if (side === "buy" && (bid === null || price > bid)) bid = price;
    if (side === "sell" && (ask === null || price < ask)) ask = price;
  }
  return bid !== null && ask !== null && bid >= ask;
}
