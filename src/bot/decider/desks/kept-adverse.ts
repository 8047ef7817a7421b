// The losses of recent fills as part of a market's text in the ledger: a side that stopped because takers know more must not resume
// because the process restarted. Times count from the save. Fills that wait for their horizon are lost.

import { z } from "zod";
import type { Instant } from "../../../kernel/clock.ts";
import { judgedHorizons } from "../../analytics/markouts.ts";
import { type AdverseFills, adverseKeys, MARKOUT_MAX } from "../../risk/adverse.ts";
import type { KeptSignals } from "../../strategy/kept-signals.ts";
import { KeptError } from "../../strategy/kept-text.ts";

/** What an earlier process left of a market. */
export type KeptMarket = KeptSignals & { readonly adverse: AdverseFills };

const amount = z.number().min(0).max(1e12);
const size = z.number().positive().max(1e12);
const past = z.number().max(0);
/** Rounding of float sums may exceed their bound by this factor. */
const SLACK = 1 + 1e-9;
const isWithin = (sum: number, of: number): boolean => Math.abs(sum) <= MARKOUT_MAX * of * SLACK;
const sums = z
  .strictObject({ fills: amount, markouts: z.number(), count: amount })
  .refine(({ fills, markouts }) => isWithin(markouts, fills), "no markouts of so many fills");
const burst = z
  .strictObject({ atMs: past, contracts: size, product: z.number(), largest: size, left: z.number().min(0).max(1) })
  .refine(({ contracts, product }) => isWithin(product, contracts), "no markout of so many contracts");
const cell = z.strictObject({ before: sums, largest: amount, burst: burst.nullable(), atMs: past });
const schema = z.partialRecord(z.enum(adverseKeys(judgedHorizons)), cell);

/** Returns null where there are none. */
export const adverseKept = (fills: AdverseFills, at: Instant): AdverseFills | null =>
  Object.keys(fills).length === 0 ? null : moved(fills, -at.monotonicMs);

/** Restores fills; `downMs`: time since the save. Throws KeptError where `adverseKept` cannot have written it. */
export function readAdverse(kept: unknown, downMs: number, now: Instant): AdverseFills {
  const { data, error } = schema.safeParse(kept ?? {});
  if (data !== undefined) return moved(data as AdverseFills, now.monotonicMs - downMs);
  const [issue] = error.issues;
  throw new KeptError("kept_nonsense", `adverse.${issue?.path.join(".")}: ${issue?.message}`);
}

/** Shifts every monotonic time by `byMs`. */
function moved(fills: AdverseFills, byMs: number): AdverseFills {
  const cells = Object.entries(fills).map(([key, { burst, atMs, ...one }]) => {
    const later = burst && { ...burst, atMs: burst.atMs + byMs };
    return [key, { ...one, burst: later, atMs: atMs + byMs }];
  });
  return Object.fromEntries(cells);
}
