// The kinds of parameters that strategies share: decimals that become exact units, numbers with bounds, each with its words.

import { z } from "zod";
import { SIZE_SCALE, type Size, size } from "../../domain/units.ts";
import { parseDecimal } from "../../kernel/decimal.ts";
import { messageOf } from "../../kernel/errors.ts";

/** Contracts above zero, written as a decimal (`0.5`), read exactly; more than 6 decimals is a fault. */
export const contracts = (says: string): z.ZodType<Size> =>
  z
    .union([z.string(), z.number(), z.bigint()])
    .transform((written, context) => {
      try {
        const raw = parseDecimal(String(written), SIZE_SCALE);
        if (raw > 0n) return size(raw);
        context.addIssue({ code: "custom", message: "must be above 0 contracts" });
      } catch (error) {
        context.addIssue({ code: "custom", message: messageOf(error) });
      }
      return z.NEVER;
    })
    .describe(`${says} Contracts, above 0, at most 6 decimals.`);

/** Basis points within [min, max]. */
export const bps = (min: number, max: number, says: string): z.ZodNumber =>
  z.number().min(min).max(max).describe(`${says} Basis points, ${min} to ${max}.`);

/** A whole number within [min, max]. */
export const count = (min: number, max: number, says: string): z.ZodInt =>
  z.int().min(min).max(max).describe(`${says} A whole number, ${min} to ${max}.`);

/** A number above zero and at most `max`, in `unit`. */
export const positive = (max: number, unit: string, says: string): z.ZodNumber =>
  z.number().positive().max(max).describe(`${says} In ${unit}, above 0, at most ${max}.`);
