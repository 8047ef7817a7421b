// Reads the valid parts of a configuration: rules across several values are reported together with faults of single values, so they must
// also work on files with other errors.

import type { z } from "zod";

export type Mapping = Readonly<Record<string, unknown>>;

export const mappingOf = (value: unknown): Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Mapping) : {};

export function listAt(value: unknown, key: string): readonly unknown[] {
  const list = mappingOf(value)[key];
  return Array.isArray(list) ? list : [];
}

/** The value as the schema reads it; undefined if it is wrong, which the schema itself reports. */
export function readAs<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> | undefined {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** The rows whose value already appeared in an earlier row. */
export function* repeated<T>(values: readonly T[]): Generator<readonly [index: number, value: NonNullable<T>]> {
  for (const [index, value] of values.entries()) {
    if (value !== undefined && value !== null && values.indexOf(value) < index) yield [index, value];
  }
}
