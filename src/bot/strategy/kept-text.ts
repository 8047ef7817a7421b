// The text of a learned state for the ledger: its owner and when it was saved, around a body. A text that the next process must not use is
// refused with the reason.

import { z } from "zod";
import type { Instant } from "../../kernel/clock.ts";
import { CodedError, messageOf } from "../../kernel/errors.ts";
import { parseJson } from "../../kernel/json.ts";

/** Version of the shapes and meanings of all bodies: a text of another version is not read. */
const VERSION = 1;

export class KeptError extends CodedError<"kept_unreadable" | "kept_foreign" | "kept_nonsense"> {}

const head = z.object({ version: z.number(), chainId: z.string() });
const envelope = z.strictObject({
  version: z.literal(VERSION),
  chainId: z.string(),
  savedMs: z.number().min(0).max(1e14),
  kept: z.unknown(),
});

export const keptText = (kept: object, chainId: string, at: Pick<Instant, "wallMs">): string =>
  JSON.stringify({ version: VERSION, chainId, savedMs: at.wallMs, kept });

/** `downMs`: wall clock time since the save; a clock that was set back counts as no time. Throws KeptError. */
export function readKept<T>(
  schema: z.ZodType<T>,
  text: string,
  chainId: string,
  now: Pick<Instant, "wallMs">,
): { readonly kept: T; readonly downMs: number } {
  const written = jsonOf(text);
  const of = checked(head, written);
  if (of.version !== VERSION)
    throw new KeptError("kept_foreign", `they are of version ${of.version}, this program's is ${VERSION}`);
  if (of.chainId !== chainId) throw new KeptError("kept_foreign", `they are of the chain ${of.chainId}`);
  const { savedMs, kept } = checked(envelope, written);
  return { kept: checked(schema, kept), downMs: Math.max(0, now.wallMs - savedMs) };
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new KeptError("kept_unreadable", messageOf(cause), { cause });
  }
}

function checked<T>(schema: z.ZodType<T>, written: unknown): T {
  const read = schema.safeParse(written);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new KeptError("kept_nonsense", `${where}${issue?.message}`);
}

const FLOAT_BYTES = 4;

/** Returns the numbers in base64, each in four bytes, little-endian on every machine. */
export function floatsText(numbers: Float32Array): string {
  const bytes = Buffer.alloc(FLOAT_BYTES * numbers.length);
  for (const [at, number] of numbers.entries()) bytes.writeFloatLE(number, FLOAT_BYTES * at);
  return bytes.toString("base64");
}

/** Reads what `floatsText` wrote of so many numbers, none further than `furthest` from 0. */
export const floatsOf = (count: { readonly exactly: number } | { readonly most: number }, furthest: number) =>
  z.base64().transform((text, { addIssue }) => {
    const bytes = Buffer.from(text, "base64");
    const length = Math.floor(bytes.length / FLOAT_BYTES);
    const numbers = Float32Array.from({ length }, (_, at) => bytes.readFloatLE(FLOAT_BYTES * at));
    const fits = "exactly" in count ? length === count.exactly : length <= count.most;
    if (!fits || bytes.length !== FLOAT_BYTES * length) addIssue(`${bytes.length} bytes are not the numbers`);
    if (!numbers.every((number) => Math.abs(number) <= furthest))
      addIssue(`a number is further than ${furthest} from 0`);
    return numbers;
  });
