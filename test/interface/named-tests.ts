// The names of the tests in this folder, as they are written: `file > describe > title`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type TestFile = { readonly name: string; readonly source: string };

/** Files that hold the table and its document, not the exchange. */
const NOT_ROWS = ["coverage.test.ts", "document.test.ts"];

export function testFiles(): readonly TestFile[] {
  const files = readdirSync(import.meta.dirname).filter(
    (file) => file.endsWith(".test.ts") && !NOT_ROWS.includes(file),
  );
  return files.map((file) => ({
    name: file.replace(".test.ts", ""),
    source: readFileSync(join(import.meta.dirname, file), "utf8"),
  }));
}

export const namedTests = (): readonly string[] =>
  testFiles().flatMap(({ name, source }) => titlesIn(source).map((title) => `${name} > ${title}`));

/** `describe`, `it` or `it.each(…)` at the start of a line, then its title up to the closing quote. */
const NAMED = /^( *)(describe|it)(?:\.\w+(?:<[\s\S]*?>)?\([\s\S]*?\n? *\))?\(\s*"((?:[^"\\]|\\.)*)"/gm;

/** A describe stands at the left edge, its tests two blanks in, and a test of its own at the edge too. */
export function titlesIn(source: string): readonly string[] {
  const titles: string[] = [];
  let group = "";
  for (const [, indent = "", kind, title = ""] of source.matchAll(NAMED)) {
    if (kind === "describe") group = title;
    else titles.push(indent === "" ? title : `${group} > ${title}`);
  }
  return titles;
}

/** How many tests a source has, its titles unread. */
export const testCount = (source: string): number => source.match(/^ *it(?:\.each)?[(<]/gm)?.length ?? 0;
