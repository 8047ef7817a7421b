// Changes pairs of a mapping in the text of a YAML document and keeps every other character: comments, blank lines, quotes. A value is
// copied as it is written in another place or text.

import { isMap, isScalar, type Pair, parseDocument, type Scalar, type YAMLMap } from "yaml";

/** Where a pair is written. */
export type WrittenAt = { readonly text: string; readonly path: readonly (string | number)[] };

/** The text has a form that cannot be edited. */
export class YamlEditError extends Error {}

/**
 * `text` with these pairs of the mapping at `path`, by key: each as it is written elsewhere, or null to remove it. A new pair goes after
 * the first of `changes`, which must exist. Throws YamlEditError.
 */
export function withPairs(
  text: string,
  path: WrittenAt["path"],
  changes: Readonly<Record<string, WrittenAt | null>>,
): string {
  const mapping = mappingAt(text, path);
  if (mapping.flow) throw new YamlEditError("it is written in braces, on one line");
  const [anchor] = Object.keys(changes);
  const after = pairOf(mapping, anchor ?? "");
  if (after === undefined) throw new YamlEditError(`it has no ${anchor}`);
  const column = columnOf(text, startOf(after));
  const edits: Edit[] = [];
  let added = "";
  for (const [key, from] of Object.entries(changes)) {
    const pair = pairOf(mapping, key);
    const written = from === null ? null : writtenAt(from, key, column);
    if (pair !== undefined && written !== null)
      edits.push({ from: startOf(pair), to: endOf(text, pair), put: written });
    else if (pair !== undefined) edits.push({ ...linesOf(text, mapping, pair), put: "" });
    else if (written !== null) added += `\n${" ".repeat(column)}${written}`;
  }
  if (added !== "") {
    const end = lineEnd(text, endOf(text, after));
    edits.push({ from: end, to: end, put: added });
  }
  return edits.toSorted((a, b) => b.from - a.from).reduce(apply, text);
}

/**
 * `text` with the pair of `key` in the mapping at `path`, which may be in braces: its value becomes `written`, on one line; a new pair goes
 * after the others; null removes it. Throws YamlEditError.
 */
export function withPair(text: string, path: WrittenAt["path"], key: string, written: string | null): string {
  const mapping = mappingAt(text, path);
  const pair = pairOf(mapping, key);
  if (written === null) return pair === undefined ? text : apply(text, { ...placeOf(text, mapping, pair), put: "" });
  const put = `${key}: ${written}`;
  if (pair !== undefined) return apply(text, { from: startOf(pair), to: endOf(text, pair), put });
  const last = mapping.items.at(-1) as Written | undefined;
  const at = last === undefined ? (mapping.range?.[0] ?? 0) + 1 : endOf(text, last);
  if (mapping.flow) return apply(text, { from: at, to: at, put: last === undefined ? ` ${put} ` : `, ${put}` });
  const end = lineEnd(text, at);
  const column = columnOf(text, startOf(mapping.items[0] as Written));
  return apply(text, { from: end, to: end, put: `\n${" ".repeat(column)}${put}` });
}

/** `text` with a comment line above the pair at `path`. Throws YamlEditError. */
export function withComment(text: string, path: WrittenAt["path"], comment: string): string {
  const key = String(path.at(-1));
  const pair = pairOf(mappingAt(text, path.slice(0, -1)), key);
  if (pair === undefined) throw new YamlEditError(`it has no ${key}`);
  const start = lineStart(text, startOf(pair));
  return apply(text, { from: start, to: start, put: `${" ".repeat(columnOf(text, startOf(pair)))}# ${comment}\n` });
}

type Edit = { readonly from: number; readonly to: number; readonly put: string };
type Written = Pair<Scalar, { readonly range?: readonly number[] | null } | null>;

const apply = (text: string, { from, to, put }: Edit): string => text.slice(0, from) + put + text.slice(to);

function mappingAt(text: string, path: WrittenAt["path"]): YAMLMap {
  const document = parseDocument(text, { intAsBigInt: true });
  const node = document.errors.length > 0 ? undefined : document.getIn(path, true);
  if (!isMap(node)) throw new YamlEditError("it is not written there as a mapping");
  return node;
}

const pairOf = ({ items }: YAMLMap, key: string): Written | undefined =>
  items.find(({ key: of }) => isScalar(of) && of.value === key) as Written | undefined;

const startOf = ({ key }: Written): number => key.range?.[0] ?? 0;

/** End of the pair's value, without blank or comment lines after it. */
function endOf(text: string, pair: Written): number {
  const end = pair.value?.range?.[1] ?? pair.key.range?.[1] ?? 0;
  return startOf(pair) + text.slice(startOf(pair), end).trimEnd().length;
}

const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;
const columnOf = (text: string, at: number): number => at - lineStart(text, at);
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

/** The range of a pair, including its separator from the others. */
function placeOf(text: string, mapping: YAMLMap, pair: Written): Omit<Edit, "put"> {
  if (!mapping.flow) return linesOf(text, mapping, pair);
  const at = mapping.items.indexOf(pair as never);
  const [before, next] = [mapping.items[at - 1], mapping.items[at + 1]] as (Written | undefined)[];
  if (next !== undefined) return { from: startOf(pair), to: startOf(next) };
  return { from: before === undefined ? startOf(pair) : endOf(text, before), to: endOf(text, pair) };
}

/** Whole lines if nothing else is on them; for the first pair of a list item, up to the next pair. */
function linesOf(text: string, { items }: YAMLMap, pair: Written): Omit<Edit, "put"> {
  const start = startOf(pair);
  const from = lineStart(text, start);
  if (text.slice(from, start).trim() === "")
    return { from, to: Math.min(text.length, lineEnd(text, endOf(text, pair)) + 1) };
  const next = items[items.indexOf(pair as never) + 1] as Written | undefined;
  if (next === undefined) throw new YamlEditError("nothing else stands in it");
  return { from: start, to: startOf(next) };
}

/** The pair as it is written there, its continuation lines moved to `column`; null if it does not exist. */
function writtenAt({ text, path }: WrittenAt, key: string, column: number): string | null {
  const pair = pairOf(mappingAt(text, path), key);
  if (pair === undefined) return null;
  const shift = column - columnOf(text, startOf(pair));
  const [first = "", ...rest] = text.slice(startOf(pair), endOf(text, pair)).split("\n");
  const moved = rest.map((line) =>
    shift < 0 ? line.replace(new RegExp(`^ {0,${-shift}}`), "") : `${" ".repeat(shift)}${line}`,
  );
  return [first, ...moved].join("\n");
}
