// Reads YAML exactly: no number is rounded, and every value has its line and column.

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
} from "yaml";

/** A place in a file; both count from 1. */
export type Position = { readonly line: number; readonly column: number };

export type YamlDocument = {
  /** Plain values; an integer too large for a number is a bigint, a decimal too precise for one stays text. */
  readonly value: unknown;
  /** The value despite syntax errors: whatever could be read, of any shape. */
  readonly salvaged: unknown;
  /** Position of the value at `path`, or of its nearest existing parent. With `key`: position of the last key itself. */
  readonly locate: (path: readonly PropertyKey[], at?: "value" | "key") => Position;
  /** Syntax errors; if there are any, `value` must not be used. */
  readonly errors: readonly { readonly position: Position; readonly message: string }[];
};

/** Most uses of aliases in one file: enough for honest reuse, too few for an alias bomb. */
const ALIASES_MAX = 100;

/** Parses one document. Never throws: syntax errors are in the result. */
export function readYaml(text: string): YamlDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, intAsBigInt: true, strict: true, uniqueKeys: true });
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const errors = [...document.errors, ...document.warnings].map((fault) => ({
    position: positionAt(fault.pos[0]),
    message: firstLine(fault.message),
  }));
  const isBroken = errors.length > 0;
  const salvaged = read(document.contents, { document, aliases: 0, errors: isBroken ? [] : errors, positionAt });
  return {
    value: isBroken ? undefined : salvaged,
    salvaged,
    locate: (path, at = "value") => positionAt(offsetOf(document, path, at)),
    errors,
  };
}

type Reader = {
  readonly document: Document;
  aliases: number;
  readonly errors: { position: Position; message: string }[];
  readonly positionAt: (offset: number) => Position;
};

function read(node: unknown, reader: Reader): unknown {
  if (isAlias(node)) return readAlias(node, reader);
  if (isScalar(node)) return readScalar(node);
  if (isSeq(node)) return node.items.map((item) => read(item, reader));
  if (!isMap(node)) return null;
  const entries: [string, unknown][] = [];
  for (const pair of node.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : "";
    if (key === "__proto__") {
      reader.errors.push({ position: reader.positionAt(startOf(pair.key)), message: "this key is not allowed" });
      continue;
    }
    entries.push([key, read(pair.value, reader)]);
  }
  return Object.fromEntries(entries);
}

function readAlias(node: Extract<Node, { source: string }>, reader: Reader): unknown {
  reader.aliases += 1;
  const target = isAlias(node) && reader.aliases <= ALIASES_MAX ? node.resolve(reader.document) : undefined;
  if (target !== undefined) return read(target, reader);
  reader.errors.push({ position: reader.positionAt(startOf(node)), message: "an alias that cannot be followed" });
  return undefined;
}

/** Numbers keep their exact value: a float is used only if it prints back as written. */
function readScalar(node: Scalar): unknown {
  const { value, source } = node;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== "number" || source === undefined) return value;
  const written = source.includes(".") ? source.replace(/0+$/, "").replace(/\.$/, "") : source;
  return String(value) === written ? value : source;
}

function offsetOf(document: Document, path: readonly PropertyKey[], at: "value" | "key"): number {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const [index, step] of path.entries()) {
    const last = index === path.length - 1;
    if (isAlias(node)) node = node.resolve(document);
    if (isSeq(node)) {
      node = node.items[Number(step)];
    } else if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (pair === undefined) return offset;
      if ((last && at === "key") || pair.value === null) return startOf(pair.key);
      node = pair.value;
    } else {
      return offset;
    }
    if (node === undefined) return offset;
    offset = startOf(node);
  }
  return offset;
}

const startOf = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0;

const firstLine = (message: string): string => message.split("\n", 1)[0]?.replace(/ at line .*$/, "") ?? message;
