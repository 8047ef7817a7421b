// Pairs of a mapping changed in the text: what is not named stays as it is written, to the character.

import { expect, test } from "vitest";
import { withComment, withPair, withPairs, YamlEditError } from "../../../../src/kernel/yaml/edit.ts";
import { readYaml } from "../../../../src/kernel/yaml/yaml.ts";

const TEXT = `# a file
rows:
  - id: 1 # the first
    kind: plain # what it is

    params: { a: 1,   b: "two" } # with care
    other:
      # about it
      kind: rich
      params:
        a: 3 # more
        # and
        c: [1,2]
    limits: { most: 5 }
  - id: 2
`;
const row = ["rows", 0];
const other = { text: TEXT, path: [...row, "other"] };
const promoted = withPairs(TEXT, row, { kind: other, params: other, other: null });

test("values move as they are written, and nothing else changes", () => {
  expect(promoted).toBe(`# a file
rows:
  - id: 1 # the first
    kind: rich # what it is

    params:
      a: 3 # more
      # and
      c: [1,2] # with care
    limits: { most: 5 }
  - id: 2
`);
});

test("back from the text of before: the same values, with what was taken away", () => {
  const before = { text: TEXT, path: row };
  const back = withPairs(promoted, row, { kind: before, params: before, other: before });
  expect(readYaml(back).value).toEqual(readYaml(TEXT).value);
});

test("a pair that is not there elsewhere goes, and one that is new comes after the first", () => {
  const short = "row:\n  kind: x\n  params: { a: 1 }\n  other: { kind: y }\n";
  const of = (text: string) => ({ text, path: ["row", "other"] });
  expect(withPairs(short, ["row"], { kind: of(short), params: of(short), other: null })).toBe("row:\n  kind: y\n");
  const bare = "row:\n  kind: x # so\n  other: { kind: y, params: { a: 1 } }";
  expect(withPairs(bare, ["row"], { kind: of(bare), params: of(bare), other: null })).toBe(
    "row:\n  kind: y # so\n  params: { a: 1 }\n",
  );
});

test("the first pair of a list's item goes up to the next one", () => {
  const text = "rows:\n  - other: { kind: y }\n    kind: x\n";
  const from = { text, path: ["rows", 0, "other"] };
  expect(withPairs(text, ["rows", 0], { kind: from, other: null })).toBe("rows:\n  - kind: y\n");
});

test("a comment has a line of its own, at its pair's column", () => {
  expect(withComment("rows:\n  - id: 1\n    kind: x\n", ["rows", 0, "kind"], "why")).toBe(
    "rows:\n  - id: 1\n    # why\n    kind: x\n",
  );
});

test.each([
  ["in braces", "row: { kind: x, other: { kind: y } }\n"],
  ["absent", "rows: 1\n"],
  ["an alias", "a: &a { kind: x }\nrow: *a\n"],
  ["no YAML", "row: [\n"],
])("a mapping that is %s is not edited", (_, text) => {
  expect(() => withPairs(text, ["row"], { kind: { text: "kind: z", path: [] } })).toThrow(YamlEditError);
});

test.each([
  ["new, in lines", "at:\n  a: 1 # so\n\n# end\n", "at:\n  a: 1 # so\n  b: { c: 2 }\n\n# end\n"],
  ["new, in braces", "at: { a: [1, 2] } # so\n", "at: { a: [1, 2], b: { c: 2 } } # so\n"],
  ["new, in empty braces", "at: {}\n", "at: { b: { c: 2 } }\n"],
  ["new, in braces over lines", "at: {\n  a: 1, # so\n}\n", "at: {\n  a: 1, b: { c: 2 }, # so\n}\n"],
  ["there, in lines", "at:\n  b: 9 # so\n  a: 1\n", "at:\n  b: { c: 2 } # so\n  a: 1\n"],
  ["there over lines", "at:\n  b:\n    c: 1\n\n  a: 1 # so", "at:\n  b: { c: 2 }\n\n  a: 1 # so"],
  ["there, in braces", "at: { b: x, a: 1 }", "at: { b: { c: 2 }, a: 1 }"],
])("one pair of a mapping: %s", (_where, text, expected) => {
  expect(withPair(text, ["at"], "b", "{ c: 2 }")).toBe(expected);
  expect(readYaml(expected).value).toMatchObject({ at: { b: { c: 2 } } });
});

test.each([
  ["in lines", "at:\n  b: 9 # so\n  a: 1 # and\n", "at:\n  a: 1 # and\n"],
  ["the first in braces", "at: { b: 9, a: 1 } # so", "at: { a: 1 } # so"],
  ["the last in braces", "at: { a: 1, b: 9 } # so", "at: { a: 1 } # so"],
  ["the only one in braces", "at: { b: 9 }", "at: {  }"],
  ["that is not there", "at: { a: 1 }", "at: { a: 1 }"],
])("a pair is taken away: %s", (_where, text, expected) => {
  expect(withPair(text, ["at"], "b", null)).toBe(expected);
});

test("a mapping that stands elsewhere is not edited", () => {
  expect(() => withPair("of: &of { a: 1 }\nat: *of\n", ["at"], "b", "1")).toThrow(YamlEditError);
  expect(() => withPair("at: 1\n", ["at"], "b", "1")).toThrow(YamlEditError);
});
