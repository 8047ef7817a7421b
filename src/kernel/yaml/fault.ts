// Faults of a configuration: each gives its place, the path, what is wrong and what is allowed. All are reported at once.

import type { z } from "zod";
import { printable } from "../printable.ts";
import { withoutKeys } from "../secret.ts";
import type { YamlDocument } from "./yaml.ts";

export type Fault = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Dotted path from the root, such as `accounts[0].markets[1].params.size`; empty for the root itself. */
  readonly path: string;
  readonly message: string;
};

/** One line: `FILE:LINE:COLUMN: path: what is wrong and what is allowed`. */
export function formatFault(fault: Fault): string {
  const path = fault.path === "" ? "" : `${fault.path}: `;
  return printable(`${fault.file}:${fault.line}:${fault.column}: ${path}${fault.message}`);
}

/** A configuration that cannot be used, with all its faults. A key that was pasted into it is not repeated. */
export class ConfigError extends Error {
  readonly faults: readonly Fault[];
  /** Sorted by place in the file. */
  constructor(faults: readonly Fault[]) {
    const sorted = faults.map(clean).toSorted((a, b) => a.line - b.line || a.column - b.column);
    super(sorted.map(formatFault).join("\n"));
    this.name = "ConfigError";
    this.faults = sorted;
  }
}

const clean = ({ file, path, message, ...position }: Fault): Fault => ({
  ...position,
  file: withoutKeys(file),
  path: withoutKeys(path),
  message: withoutKeys(message),
});

/** A fault at `path` of a document; `at: "key"` points at the key instead of its value. */
export function faultAt(
  file: string,
  document: YamlDocument,
  path: readonly PropertyKey[],
  message: string,
  at: "value" | "key" = "value",
): Fault {
  return { file, ...document.locate(path, at), path: formatPath(path), message };
}

/** Syntax errors of a document as faults. */
export function syntaxFaults(file: string, document: YamlDocument): readonly Fault[] {
  return document.errors.map(({ position, message }) => ({ file, ...position, path: "", message }));
}

/** Schema errors, each at its place; for a union, those of the branch that came closest. */
export function schemaFaults(
  file: string,
  document: YamlDocument,
  issues: readonly z.core.$ZodIssue[],
  prefix: readonly PropertyKey[] = [],
): readonly Fault[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => faultAt(file, document, [...path, key], issue.message, "key"));
    }
    return [faultAt(file, document, path, issue.message)];
  });
}

function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`))
    .join("");
}
