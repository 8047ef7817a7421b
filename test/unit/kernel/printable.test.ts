// Text of others on a terminal: nothing moves the cursor, starts a line, turns the reading around or hides, and JSON stays the same JSON.

import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableLines } from "../../../src/kernel/printable.ts";

/** The page's own copy, which a browser gets. */
const { visible } = (await import(new URL("../../../src/bot/dashboard/page/html.js", import.meta.url).href)) as {
  readonly visible: (text: string) => string;
};

test.each([
  ["an escape sequence", "\u001b[2J", "\\u001b[2J"],
  ["a sequence of C1", "\u009b2J", "\\u009b2J"],
  ["a line of its own", "USA\r\nOK", "USA\\u000d\\u000aOK"],
  ["DEL and a tab", "a\u007f\tb", "a\\u007f\\u0009b"],
  ["bidi overrides and isolates", "\u202ea\u2066b\u2069\u061c", "\\u202ea\\u2066b\\u2069\\u061c"],
  ["zero width", "a\u200bb\u200dc\u2060d\ufeff\u00ad", "a\\u200bb\\u200dc\\u2060d\\ufeff\\u00ad"],
  ["separators of lines and paragraphs", "\u2028\u2029", "\\u2028\\u2029"],
  ["halves of characters", "\ud800x\udc00", "\\ud800x\\udc00"],
  ["tags beyond the first plane", "\u{e0041}", "\\udb40\\udc41"],
  ["what people write", "Zürich 東京 🏠 ñ — …", "Zürich 東京 🏠 ñ — …"],
])("%s", (_, text, shown) => {
  expect(printable(text)).toBe(shown);
  expect(visible(text).replaceAll("\n", "\\u000a").replaceAll("\t", "\\u0009")).toBe(shown);
});

test("a long text is cut, with a mark", () => {
  expect(printable("x".repeat(10_000)).length).toBe(4096);
  expect(printable("abcdef", 4)).toBe("abc…");
  expect(printable("abcd", 4)).toBe("abcd");
  expect(printable("\u001b".repeat(50), 100).length).toBe(100);
});

test("lines and tabs of our own stay", () => {
  expect(printableLines("a\n\tb\u001b\r\n")).toBe("a\n\tb\\u001b\\u000d\n");
});

test("any JSON means the same afterwards, and has nothing hidden in it", () => {
  const anything = fc.string({ unit: fc.integer({ min: 0, max: 0xff_ff }).map((unit) => String.fromCharCode(unit)) });
  fc.assert(
    fc.property(anything, (text) => {
      const shown = printableLines(JSON.stringify({ text }));
      expect(JSON.parse(shown)).toEqual({ text });
      expect(printable(shown)).toBe(shown);
    }),
  );
});
