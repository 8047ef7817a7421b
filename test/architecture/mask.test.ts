// The scanner that the rules stand on: what is not code is blank, what is code stays where it was.

import { resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mask } from "./mask.ts";
import { readTree, treeOf } from "./tree.ts";

const project = resolve(import.meta.dirname, "../..");
const blank = (count: number) => " ".repeat(count);

test.each([
  ["a line comment", "a; // b 'c\nd;", `a; ${blank(7)}\nd;`],
  ["a block comment over lines", "a /* b\n * c */ d", `a ${blank(4)}\n${blank(7)} d`],
  ["the text of strings", `f("a // b", 'c "d"');`, `f("${blank(6)}", '${blank(5)}');`],
  ["an escaped quote", `"a\\"b" + c`, `"${blank(4)}" + c`],
  ["the text of a template, not its code", "`a ${b + `c ${d}`} e` + f", "`  ${b + `  ${d}`}  ` + f"],
  ["braces inside a template's code", "`${g({ a: { b } })} c`;", "`${g({ a: { b } })}  `;"],
  ["a regular expression with a slash and a quote", "x = /a[/'\"]b\\//g; y", `x = ${blank(11)}g; y`],
  ["a regular expression after return", "return /'/.test(a)", `return ${blank(3)}.test(a)`],
  ["nothing of a division", "a / b / c; (d) / e", "a / b / c; (d) / e"],
])("blanks %s", (_, source, masked) => {
  expect(mask(source)).toBe(masked);
});

test("law: positions and line breaks stay, even in text that no compiler would take", () => {
  const piece = fc.constantFrom(
    '"',
    "'",
    "`",
    "${",
    "}",
    "{",
    "//",
    "/*",
    "*/",
    "/",
    "\\",
    "\n",
    " ",
    "a",
    "=",
    "(",
    ")",
  );
  const source = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(source, (text) => {
      const masked = mask(text);
      expect(masked.length).toBe(text.length);
      expect(masked.split("\n").map((line) => line.length)).toEqual(text.split("\n").map((line) => line.length));
    }),
  );
});

test("law: every bracket that is left in the project's sources closes, so no string or comment was misread", () => {
  const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
  const misread = readTree(project, ["src", "strategies", "test", "bench"]).filter(({ code }) => {
    const open: string[] = [];
    for (const [bracket] of code.matchAll(/[()[\]{}]/g)) {
      const closes = closing[bracket];
      if (closes !== undefined) open.push(closes);
      else if (open.pop() !== bracket) return true;
    }
    return open.length > 0;
  });
  expect(misread.map(({ path }) => path)).toEqual([]);
});

test("every form of import is seen, and none in comments and strings", () => {
  const [file] = treeOf({
    "src/risk/guard.ts": [
      'import { a, type B } from "./a.ts";',
      'import type { C } from "../domain/c.ts";',
      'import * as d from "d";',
      'import "./effect.ts";',
      'export { e } from "./e.ts";',
      "import {",
      "  f,",
      '} from "node:fs";',
      'const g = await import("./g.ts");',
      'import fs from "fs";',
      '// import { h } from "./h.ts";',
      "const text = 'import { i } from \"./i.ts\"';",
      'export const from = "./j.ts";',
      'import type from "./k.ts";',
    ].join("\n"),
  });
  expect(file!.imports.map(({ specifier, target, typeOnly, line }) => [line, target ?? specifier, typeOnly])).toEqual([
    [1, "src/risk/a.ts", false],
    [2, "src/domain/c.ts", true],
    [3, "d", false],
    [4, "src/risk/effect.ts", false],
    [5, "src/risk/e.ts", false],
    [6, "node:fs", false],
    [9, "src/risk/g.ts", false],
    [10, "node:fs", false],
    [14, "src/risk/k.ts", false],
  ]);
});
