// The rows of the guard's tables as they stand in its sources: gates, limits and latches, each by its kind and id.

import { childrenOf, constant, type Node, nameOf, type Place, property, type Source, word } from "./source.ts";

const tables: Readonly<Record<string, { readonly name: string; readonly kind: "gate" | "limit" | "latch" }>> = {
  "src/bot/risk/gates/own-gates.ts": { name: "ownGates", kind: "gate" },
  "src/bot/risk/gates/venue-gates.ts": { name: "venueGates", kind: "gate" },
  "src/bot/risk/limits/order-limits.ts": { name: "orderLimits", kind: "limit" },
  "src/bot/risk/limits/batch-limits.ts": { name: "batchLimits", kind: "limit" },
  "src/bot/risk/trips.ts": { name: "trips", kind: "latch" },
};

export type Row = {
  readonly kind: "gate" | "limit" | "latch";
  readonly id: string;
  readonly source: Source;
  readonly node: Node;
};

/** The rows of a source; none where it holds no table. */
export function rowsOf(source: Source): readonly Row[] {
  const table = tables[source.file];
  if (table === undefined) return [];
  const { kind, name } = table;
  return childrenOf(constant(source, name)).map((child) => {
    if (child.type !== "Property") return { kind, id: idOf(source, child), source, node: child };
    const id = nameOf(child) ?? "";
    return { kind, id, source, node: property(source, constant(source, name), id) };
  });
}

/** A row of a list says its id as its kind. */
const idOf = (source: Source, row: Node): string => JSON.parse(word(property(source, row, "kind"), "raw"));

/** What a place is about: the row that it stands in, else the outermost thing with a name around it. */
export function subjectOf(source: Source, { node, above }: Place): string {
  const row = rowsOf(source).find((one) => one.node.start <= node.start && node.end <= one.node.end);
  if (row !== undefined) return `${row.kind} ${row.id}`;
  return [...above, node].map(nameOf).find((name) => name !== undefined) ?? "the file";
}
