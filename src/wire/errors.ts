// Errors in data from the wire: a stable code, the place, and one stable sentence.

import { CodedError } from "../kernel/errors.ts";
import { JsonError, type JsonErrorCode } from "../kernel/json.ts";

/** Errors of shape. The codes of JSON and CSV are errors of the text itself. */
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

/** Codes for well-formed values that make no sense: numbers out of range, and numbers that contradict each other. */
const IMPLAUSIBLE: ReadonlySet<WireCode> = new Set(["field_range", "field_conflict"]);

/** Whether `thrown` means that a value was well-formed but implausible, not corrupted in transit. */
export const isImplausible = (thrown: unknown): boolean => thrown instanceof WireError && IMPLAUSIBLE.has(thrown.code);

/** A value that differs from the interface. `path` is dotted from the outermost value; empty if that value itself is wrong. */
export class WireError extends CodedError<WireCode> {
  readonly path: string;
  /** What is wrong and what is allowed, without the path. */
  readonly problem: string;

  constructor(code: WireCode, path: string, problem: string, cause?: unknown) {
    super(code, path === "" ? problem : `${path}: ${problem}`, cause === undefined ? {} : { cause });
    this.path = path;
    this.problem = problem;
  }

  /** The same error, with `step` added before its path. */
  under(step: string): WireError {
    if (step === "") return this;
    const path = this.path === "" ? step : `${step}.${this.path}`;
    return new WireError(this.code, path, this.problem, this.cause);
  }
}

/** Runs `decode`; rethrows its WireError or JsonError as a WireError with `step` before its path (empty: unchanged). */
export function within<T>(step: string, decode: () => T): T {
  try {
    return decode();
  } catch (thrown) {
    if (thrown instanceof WireError) throw thrown.under(step);
    if (thrown instanceof JsonError) throw new WireError(thrown.code, step, thrown.message, thrown);
    throw thrown;
  }
}
