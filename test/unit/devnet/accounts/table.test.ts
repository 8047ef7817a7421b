// Tables of rows: canonical text, records of changes, indexes that follow.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cell, createTables, parsedText, textOf } from "../../../../src/devnet/accounts/table.ts";

const cell: fc.Arbitrary<Cell> = fc.letrec<{ cell: Cell }>((tie) => ({
  cell: fc.oneof(
    fc.string(),
    fc.string().map((text) => `#${text}`),
    fc.maxSafeInteger(),
    fc.bigInt(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("cell"), { maxLength: 3 }),
    fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"),
      tie("cell"),
      { maxKeys: 3 },
    ),
  ),
})).cell;

describe("canonical text", () => {
  test("law: what is written is read back, bigints as bigints and text as text", () => {
    fc.assert(
      fc.property(cell, (value) => {
        expect(parsedText(textOf(value))).toEqual(value);
      }),
    );
  });

  test("law: texts differ where values differ", () => {
    fc.assert(
      fc.property(cell, cell, (one, other) => {
        if (textOf(one) === textOf(other)) expect(one).toEqual(other);
      }),
    );
  });
});

describe("tables", () => {
  test("every change leaves one record, and reading leaves none", () => {
    const records: string[] = [];
    const table = createTables((record) => records.push(record)).open<{ readonly size: bigint }>("order");
    table.set("1", { size: 5n });
    table.get("1");
    table.delete("2");
    table.delete("1");
    expect(records).toEqual(['order 1 {"size":"#5"}', "order 1 -"]);
  });

  test("an index follows rows as they change, go, and come back from text", () => {
    const tables = createTables(() => undefined);
    const people = tables.open<{ readonly name: string; readonly tags: readonly string[] }>("person");
    const byTag = people.index((row) => row.tags);
    people.set("a", { name: "Ada", tags: ["x", "y"] });
    people.set("b", { name: "Bob", tags: ["y"] });
    people.set("a", { name: "Ada", tags: ["y", "z"] });
    const names = (tag: string) =>
      byTag(tag)
        .map((row) => row.name)
        .sort((a, b) => a.localeCompare(b));
    expect([names("x"), names("y"), names("z")]).toEqual([[], ["Ada", "Bob"], ["Ada"]]);

    const saved = tables.save();
    people.delete("b");
    people.set("c", { name: "Cleo", tags: ["z"] });
    expect([names("y"), names("z")]).toEqual([["Ada"], ["Ada", "Cleo"]]);
    tables.load(saved);
    expect([names("x"), names("y"), names("z")]).toEqual([[], ["Ada", "Bob"], ["Ada"]]);
  });

  test("text of tables that are not open is refused", () => {
    const other = createTables(() => undefined);
    other.open("ghost");
    expect(() => createTables(() => undefined).load(other.save())).toThrow(SyntaxError);
  });
});
