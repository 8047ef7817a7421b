// The losses of recent fills as part of a market's text in the ledger: a side that stopped because takers know more must not resume
// because the process restarted. Times count from the save. Fills that wait for their horizon are lost.

import { z } from "zod";
import { type Side, sides } from "../../../domain/units.ts";
import type { Instant } from "../../../kernel/clock.ts";
import { judgedHorizons } from "../../analytics/markouts.ts";
import { type AdverseFills, MARKOUT_MAX, type Phase, phases } from "../../risk/adverse.ts";
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
type Cell = z.infer<typeof cell>;
const cell = z.strictObject({ before: sums, largest: amount, burst: burst.nullable(), atMs: past });
const places = sides.flatMap((side) => phases.map((phase) => ({ side, phase })));
/** In a text, of a cell. */
const nameOf = (side: Side, phase: Phase, horizon: string): string => `${side} ${phase} ${horizon}`;
const names = places.flatMap(({ side, phase }) => judgedHorizons.map((horizon) => nameOf(side, phase, horizon)));
const schema = z.partialRecord(z.enum(names), cell);

/** Returns null where there are none. */
export function adverseKept(fills: AdverseFills, at: Instant): Readonly<Record<string, Cell>> | null {
  const cells = places.flatMap(({ side, phase }) =>
    Object.entries(fills[side][phase]).map(([horizon, of]) => [
      nameOf(side, phase, horizon),
      later(of, -at.monotonicMs),
    ]),
  );
  return cells.length === 0 ? null : Object.fromEntries(cells);
}

/** Restores fills; `downMs`: time since the save. Throws KeptError where `adverseKept` cannot have written it. */
export function readAdverse(kept: unknown, downMs: number, now: Instant): AdverseFills {
  const { data, error } = schema.safeParse(kept ?? {});
  if (error !== undefined) {
    const [issue] = error.issues;
    throw new KeptError("kept_nonsense", `adverse.${issue?.path.join(".")}: ${issue?.message}`);
  }
  const cellsOf = (side: Side, phase: Phase): Readonly<Record<string, Cell>> => {
    const cells = judgedHorizons.flatMap((horizon) => {
      const of = data[nameOf(side, phase, horizon)];
      return of === undefined ? [] : [[horizon, later(of, now.monotonicMs - downMs)]];
    });
    return Object.fromEntries(cells);
  };
  const phasesOf = (side: Side) => ({
    open: cellsOf(side, "open"),
    beforePrint: cellsOf(side, "beforePrint"),
    afterPrint: cellsOf(side, "afterPrint"),
  });
  return { buy: phasesOf("buy"), sell: phasesOf("sell") };
}

/** Shifts every monotonic time by `byMs`. */
const later = ({ burst, atMs, ...of }: Cell, byMs: number): Cell => ({
  ...of,
  burst: burst && { ...burst, atMs: burst.atMs + byMs },
  atMs: atMs + byMs,
});
