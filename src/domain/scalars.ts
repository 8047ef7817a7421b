// Schema values for configurations: each is read exactly, and refused with what is allowed. Prices, sizes and amounts are human decimals;
// more decimals than the scale is a fault, not a rounding.

import { z } from "zod";
import { parseDecimal } from "../kernel/decimal.ts";
import { withAllowed } from "../kernel/nearest.ts";
import { isKey } from "../kernel/secret.ts";
import { refused } from "../kernel/shown.ts";
import * as units from "./units.ts";

/** An object with fixed keys: an unknown key is a fault that lists the allowed ones. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const keys = Object.keys(shape);
  const allowed = keys.join(", ");
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === "unrecognized_keys") return withAllowed("unknown key", issue.keys, keys);
      return issue.input === undefined ? `missing; a mapping with ${allowed}` : `must be a mapping with ${allowed}`;
    },
  });
}

/** A decimal at `scale`, as raw integer units between `min` and `max` (raw, inclusive). `noun` names it in faults. */
function decimal<T extends bigint>(noun: string, scale: number, min: bigint, brand: (raw: bigint) => T) {
  const allowed = `${noun} with at most ${scale} decimals${minimumText(min)}`;
  return z
    .union([z.number(), z.bigint(), z.string()], { error: (issue) => `${refused(issue.input)}must be ${allowed}` })
    .meta({ unit: unitOf(noun) })
    .transform((written, context) => {
      try {
        const raw = parseDecimal(String(written), scale);
        if (raw >= min) return brand(raw);
      } catch {
        // The fault below says what is allowed, whichever rule was broken.
      }
      context.addIssue({ code: "custom", message: `${refused(written)}must be ${allowed}` });
      return z.NEVER;
    });
}

/** The unit of a noun, for the reference: "contracts" for "a size in contracts". */
const unitOf = (noun: string): string =>
  noun.replace(/^an? (?:whole number|.* in|.* of)(?: of)? |^an? /, "").replace(/:$/, "");

const minimumText = (min: bigint): string => (min > 0n ? ", above 0" : min === 0n ? ", 0 or more" : "");

export const priceUsd = decimal("a price in USD", units.PRICE_SCALE, 1n, units.price);
export const sizeContracts = decimal("a size in contracts", units.SIZE_SCALE, 1n, units.size);
export const amountUsdc = decimal("an amount in USDC", units.AMOUNT_SCALE, 0n, units.usdc);
export const positiveUsdc = decimal("an amount in USDC", units.AMOUNT_SCALE, 1n, units.usdc);
export const amountNative = decimal("an amount of NATIVE", units.AMOUNT_SCALE, 0n, units.native);

/** A whole number in [min, max], as a number. */
export function whole(min: number, max: number, noun?: string) {
  const allowed = `${noun ?? "a whole number"} from ${min} to ${max}`;
  const error = (issue: { readonly input?: unknown }) => `${refused(issue.input)}must be ${allowed}`;
  return z
    .number({ error })
    .int({ error })
    .min(min, { error })
    .max(max, { error })
    .meta(noun === undefined ? {} : { unit: unitOf(noun) });
}

/** A number in [min, max]; fractions allowed. */
export function fraction(min: number, max: number, noun?: string) {
  const allowed = `${noun ?? "a number"} from ${min} to ${max}`;
  const error = (issue: { readonly input?: unknown }) => `${refused(issue.input)}must be ${allowed}`;
  return z
    .number({ error })
    .min(min, { error })
    .max(max, { error })
    .meta(noun === undefined ? {} : { unit: unitOf(noun) });
}

// Parameters of strategies: `says` describes the purpose of each; a fault repeats it with what is allowed.

/** Contracts above zero, written as a decimal (`0.5`), read exactly. */
export const contracts = (says: string) => sizeContracts.describe(`${says} Contracts, above 0, at most 6 decimals.`);

/** Basis points within [min, max]. */
export const bps = (min: number, max: number, says: string) =>
  fraction(min, max).meta({ unit: "basis points" }).describe(`${says} Basis points, ${min} to ${max}.`);

/** A whole number within [min, max]. */
export const count = (min: number, max: number, says: string) =>
  whole(min, max).describe(`${says} A whole number, ${min} to ${max}.`);

/** A number above zero and at most `max`, in `unit`. */
export const positive = (max: number, unit: string, says: string) =>
  z.number().positive().max(max).meta({ unit }).describe(`${says} In ${unit}, above 0, at most ${max}.`);

/** A u64, exactly, as a bigint. */
function unsigned64<T extends bigint>(noun: string, brand: (raw: bigint) => T) {
  const allowed = `${noun}: a whole number from 0 to 18446744073709551615`;
  return z
    .union([z.number(), z.bigint(), z.string()], { error: (issue) => `${refused(issue.input)}must be ${allowed}` })
    .transform((written, context) => {
      const text = String(written);
      if (/^\d{1,20}$/.test(text) && BigInt(text) < 1n << 64n) return brand(BigInt(text));
      context.addIssue({ code: "custom", message: `${refused(written)}must be ${allowed}` });
      return z.NEVER;
    });
}

export const accountNumber = unsigned64("an account id", units.accountId);
export const seedNumber = unsigned64("a seed", (raw) => raw);
export const marketNumber = whole(0, 65_535, "a market id:");

/** Control characters, for a character class. Written as `\x`, because many readers of our JSON Schemas support neither `\p` nor `\u`. */
export const CONTROLS = String.raw`\x00-\x1f\x7f-\x9f`;
const line = new RegExp(`^[^${CONTROLS}]{1,200}$`, "u");

export function text(noun: string, pattern = line) {
  const error = (issue: { readonly input?: unknown }) => `${refused(issue.input)}must be ${noun}`;
  return z.string({ error }).regex(pattern, { error }).describe(noun);
}

/** A file path; refuses a key, which belongs inside the file. */
export function path(noun: string) {
  return text(noun).refine((written) => !isKey(written), {
    error: () => `must be ${noun}, not a key: put it in a file`,
  });
}

/**
 * A URL of this pattern with a possible host and port (99999 is not a port). Refuses users and passwords, because nothing would send them.
 */
export function url(noun: string, pattern: RegExp) {
  const error = (issue: { readonly input?: unknown }) =>
    hasCredentials(issue.input)
      ? `holds a user or a password, which Quoin does not send; must be ${noun} without them`
      : `${refused(issue.input)}must be ${noun}`;
  return z
    .string({ error })
    .refine((written) => !hasCredentials(written) && pattern.test(written) && URL.canParse(written), { error });
}

/** Whether there is an @ before the host of a possible URL. */
const hasCredentials = (written: unknown): boolean =>
  typeof written === "string" && /^(?:[^/?#]*\/\/)?[^/?#]*@/.test(written);

/** An Ed25519 public key: 64 hex characters, 0x allowed; converted to lower case. */
export const publicKey = text("an Ed25519 public key: 64 hex characters", /^(0x)?[0-9a-fA-F]{64}$/).transform(
  (written) => written.replace(/^0x/, "").toLowerCase(),
);

export function choice<const Options extends readonly [string, ...string[]]>(options: Options) {
  return z.enum(options, { error: (issue) => `${refused(issue.input)}must be one of ${options.join(", ")}` });
}

export const flag = z.boolean({ error: (issue) => `${refused(issue.input)}must be true or false` });

/** A list; faults name the kind of its items. */
export function list<Item extends z.ZodType>(item: Item, noun: string, min = 0) {
  const error = (issue: { readonly input?: unknown }) => `${refused(issue.input)}must be a list of ${noun}`;
  return z.array(item, { error }).min(min, { error: `must name at least ${min} of ${noun}` });
}
