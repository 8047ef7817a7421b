// What is wrong with something that came over the wire: a stable code, where it is, and one stable sentence.

import { CodedError } from "../kernel/errors.ts";
import { JsonError, type JsonErrorCode } from "../kernel/json.ts";

/** Faults of shape. The codes of JSON and CSV are faults of the text itself. */
export type WireCode =
  | JsonErrorCode
  | "csv_malformed"
  | "field_missing"
  | "field_unknown"
  | "field_null"
  | "field_type"
  | "field_range"
  | "field_conflict"
  | "variant_count"
  | "variant_unknown";

/** Codes of what is well-formed and means nothing: numbers out of their domain, and numbers that contradict each other. */
const IMPLAUSIBLE: ReadonlySet<WireCode> = new Set(["field_range", "field_conflict"]);

/** Whether `thrown` says that a value was well-formed and implausible, rather than broken on its way. */
export const isImplausible = (thrown: unknown): boolean => thrown instanceof WireError && IMPLAUSIBLE.has(thrown.code);

/** A value that is not what the interface says. `path` is dotted from the outermost value; empty when that value itself is wrong. */
export class WireError extends CodedError<WireCode> {
  readonly path: string;
  /** What is wrong and what is allowed, without the path. */
  readonly problem: string;

  constructor(code: WireCode, path: string, problem: string, cause?: unknown) {
    super(code, path === "" ? problem : `${path}: ${problem}`, cause === undefined ? {} : { cause });
    this.path = path;
    this.problem = problem;
  }

  /** The same fault seen from the value that holds `step`. */
  under(step: string): WireError {
    if (step === "") return this;
    const path = this.path === "" ? step : `${step}.${this.path}`;
    return new WireError(this.code, path, this.problem, this.cause);
  }
}

/** Runs `decode`; a WireError or JsonError it throws comes out as a WireError placed under `step` (empty: where it stood). */
export function within<T>(step: string, decode: () => T): T {
  try {
    return decode();
  } catch (thrown) {
    if (thrown instanceof WireError) throw thrown.under(step);
    if (thrown instanceof JsonError) throw new WireError(thrown.code, step, thrown.message, thrown);
    throw thrown;
  }
}
