// The project's sources as values: what each file says, what of it is code, and what it imports.

import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { isOurs } from "../support/shipped-strategies.ts";
import { mask } from "./mask.ts";

export type Import = {
  /** As written; a module of Node always with its `node:`. */
  readonly specifier: string;
  /** The imported file, relative to the project; undefined for packages and Node's own modules. */
  readonly target: string | undefined;
  /** `import type`: gone at run time. A `type` inside the braces is not, the module is loaded all the same. */
  readonly typeOnly: boolean;
  readonly line: number;
};

export type SourceFile = {
  /** Relative to the project, with forward slashes: `src/kernel/clock.ts`. */
  readonly path: string;
  readonly text: string;
  /** The text with comments, strings and regular expressions blanked (mask.ts). */
  readonly code: string;
  readonly imports: readonly Import[];
};

export type Tree = readonly SourceFile[];

const SOURCE = /\.(?:ts|js)$/;

/** Every source of ours below the given folders of the project; a folder that does not exist yet has none. */
export function readTree(project: string, folders: readonly string[]): Tree {
  return folders
    .flatMap((folder) => listFiles(project, folder))
    .map((path) => sourceFile(path, readFileSync(join(project, path), "utf8")));
}

/** A tree out of texts by path: what a test of the rules feeds them. */
export function treeOf(texts: Readonly<Record<string, string>>): Tree {
  return Object.entries(texts).map(([path, text]) => sourceFile(path, text));
}

export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

function listFiles(project: string, folder: string): readonly string[] {
  let entries: readonly string[];
  try {
    entries = readdirSync(join(project, folder), { recursive: true, encoding: "utf8" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return entries
    .map((entry) => posix.join(folder, entry.replaceAll("\\", "/")))
    .filter((path) => SOURCE.test(path) && isOurs(path))
    .sort((a, b) => (a < b ? -1 : 1));
}

function sourceFile(path: string, text: string): SourceFile {
  const code = mask(text);
  return { path, text, code, imports: importsOf(path, text, code) };
}

/** The files that the project's own package offers by name. */
const ownExports: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(manifest.exports).map(([name, path]) => [posix.join(manifest.name, name), posix.normalize(path)]),
);

/** `import … from "x"`, `export … from "x"`, `import "x"` and `import("x")`; the masked string between the quotes is blank. */
const IMPORT =
  /\b(?:(?:import|export)\b(?<clause>[\w\s{},*$]*?)\bfrom\s*|import\s*\(?\s*)(?<quote>["'])(?<blank> *)\k<quote>/g;

function importsOf(path: string, text: string, code: string): readonly Import[] {
  return Array.from(code.matchAll(IMPORT), (match) => {
    const { clause = "", blank = "" } = match.groups ?? {};
    const end = match.index + match[0].length - 1;
    const written = text.slice(end - blank.length, end);
    return {
      specifier: isBuiltin(written) && !written.startsWith("node:") ? `node:${written}` : written,
      target: written.startsWith(".") ? posix.join(posix.dirname(path), written) : ownExports[written],
      typeOnly: /^\s*type\s+[{*\w]/.test(clause),
      line: lineAt(code, match.index),
    };
  });
}
