// A pushed value of a signal, `{"value":"217.10","asOf":"2026-11-28T14:00:00Z"}`, read strictly.

import type { OutsideFact } from "../../../domain/outside.ts";
import type { OutsideFeed, PushRefusal } from "../../live/outside-feed.ts";
import { fieldsOf } from "./trading-state.ts";

/** Longest body in bytes. */
const BODY_BYTES_MAX = 4096;
const DECIMAL = /^\d{1,30}(\.\d{1,30})?$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

type Refusal = PushRefusal | { readonly status: 413; readonly why: string };

/** Null: the value is taken. */
export function pushSignal(name: string, body: string, outside: Pick<OutsideFeed, "admits" | "push">): Refusal | null {
  const refused = outside.admits(name);
  if (refused !== null) return refused;
  if (Buffer.byteLength(body) > BODY_BYTES_MAX)
    return { status: 413, why: `a push has at most ${BODY_BYTES_MAX} bytes` };
  const fact = readPush(body);
  return typeof fact === "string" ? { status: 400, why: fact } : outside.push(name, fact);
}

/** Returns what is wrong as a sentence. */
function readPush(body: string): OutsideFact | string {
  const fields = fieldsOf(body);
  if (fields === undefined) return 'the body must be {"value":"217.10","asOf":"2026-11-28T14:00:00Z"}';
  const { value, asOf, ...unknown } = fields;
  const [key] = Object.keys(unknown);
  if (key !== undefined) return `unknown key ${key.slice(0, 40)}; allowed: value, asOf`;
  const read = typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
  if (typeof read !== "number" || !Number.isFinite(read) || read <= 0)
    return "value must be a finite number above 0, as a number or a decimal text";
  const asOfMs = typeof asOf === "string" && INSTANT.test(asOf) ? Date.parse(asOf) : Number.NaN;
  if (Number.isNaN(asOfMs)) return "asOf must be an instant with its zone, such as 2026-11-28T14:00:00Z";
  return { value: read, asOfMs };
}
