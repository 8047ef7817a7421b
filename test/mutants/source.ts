// A source file as text and as a tree, for mutants that replace one exact stretch of it.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseAst } from "vitest/node";

export const project = resolve(import.meta.dirname, "../..");

/** A node of the syntax tree (ESTree): the fields that all have. */
export type Node = { readonly type: string; readonly start: number; readonly end: number };

export type Source = {
  /** From the project's top folder, with slashes. */
  readonly file: string;
  readonly text: string;
  readonly tree: Node;
};

/** Reads and parses a file below `root`. Throws when there is none, or it is no TypeScript. */
export function readSource(root: string, file: string): Source {
  const text = readFileSync(resolve(root, file), "utf8");
  return { file, text, tree: parseAst(text, { lang: "ts" }) as Node };
}

export const textOf = ({ text }: Source, { start, end }: Node): string => text.slice(start, end);

/** A node and the nodes above it, nearest last. */
export type Place = { readonly node: Node; readonly above: readonly Node[] };

/** Every place of a tree. Types are left out: they do nothing. */
export function* placesOf(node: Node, above: readonly Node[] = []): Generator<Place> {
  if (node.type.startsWith("TS") && !node.type.endsWith("Expression")) return;
  yield { node, above };
  for (const child of childrenOf(node)) yield* placesOf(child, [...above, node]);
}

export function childrenOf(node: Node): readonly Node[] {
  return Object.values<unknown>(node).flat().filter(isNode);
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

/** What a node has under a name of the grammar; undefined where that is no node. */
export function partOf(node: Node, field: string): Node | undefined {
  const value = (node as unknown as Readonly<Record<string, unknown>>)[field];
  return isNode(value) ? value : undefined;
}

/** What a node says in one word: an operator, a name, a literal as written. */
export function word(node: Node, field: "operator" | "name" | "raw"): string {
  return String((node as unknown as Readonly<Record<string, unknown>>)[field]);
}

/** The name that a node declares; undefined where it declares none. */
export function nameOf(node: Node): string | undefined {
  const name = partOf(node, node.type === "Property" ? "key" : "id");
  return name?.type === "Identifier" ? word(name, "name") : undefined;
}

/** The value of an object's own property. Throws where it has none of that name. */
export function property(source: Source, object: Node, name: string): Node {
  const found = childrenOf(object).find((child) => child.type === "Property" && nameOf(child) === name);
  const value = found && partOf(found, "value");
  if (value === undefined) throw new Error(`${source.file}: no ${name} in what begins at ${object.start}`);
  return value;
}

/** What a constant of the file is declared as, without the types around it. Throws when there is no such constant. */
export function constant(source: Source, name: string): Node {
  for (const { node } of placesOf(source.tree)) {
    const value = node.type === "VariableDeclarator" && nameOf(node) === name ? partOf(node, "init") : undefined;
    if (value !== undefined) return bare(value);
  }
  throw new Error(`${source.file}: no constant ${name}`);
}

function bare(node: Node): Node {
  const inner =
    node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression" ? partOf(node, "expression") : undefined;
  return inner === undefined ? node : bare(inner);
}
