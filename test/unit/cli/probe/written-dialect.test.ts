// The words of an exchange in the text of a configuration: what is not one of them stays as it is written.

import { describe, expect, it } from "vitest";
import { dialectLines, withDialect } from "../../../../src/cli/probe/written-dialect.ts";
import { YamlEditError } from "../../../../src/kernel/yaml/edit.ts";

describe("words of an exchange in a configuration", () => {
  it("become one key of the exchange's, after the others", () => {
    const text = "# mine\nvenue: # the exchange\n  chainId: x # its id\n\n# the accounts\naccounts: []\n";
    expect(withDialect(text, { cancel: "list", emptyList: "404" })).toBe(
      "# mine\nvenue: # the exchange\n  chainId: x # its id\n  dialect: { cancel: list, emptyList: 404 }\n\n# the accounts\naccounts: []\n",
    );
  });

  it("replace what is written of their own keys alone, comments kept", () => {
    const text =
      'venue:\n  dialect:\n    # as the exchange told us\n    rowSize: remaining # by mail\n    cancel: event # seen\n    emptyList: "404"\n  live: true\n';
    expect(withDialect(text, { modifyPrice: "total", cancel: "list", emptyList: "404" })).toBe(
      'venue:\n  dialect:\n    # as the exchange told us\n    rowSize: remaining # by mail\n    cancel: list # seen\n    emptyList: "404"\n    modifyPrice: total\n  live: true\n',
    );
  });

  it("that stand there already change nothing", () => {
    const text = "venue: { dialect: { cancel: event,   emptyList: 404 } }";
    expect(withDialect(text, { cancel: "event", emptyList: "404" })).toBe(text);
  });

  it("take back that modifies are not understood, once one was; what a size means stays", () => {
    const of = (word: string): string => `venue: { dialect: { modifySize: ${word}, modifyPrice: total } }`;
    expect(withDialect(of("none"), { modifyPrice: "total" })).toBe("venue: { dialect: { modifyPrice: total } }");
    expect(withDialect(of("none"), { cancel: "event" })).toBe(of("none").replace("total }", "total, cancel: event }"));
    expect(withDialect(of("remaining"), { modifyPrice: "total" })).toBe(of("remaining"));
    expect(withDialect(of("remaining"), { modifyPrice: "total", modifySize: "none" })).toBe(of("none"));
  });

  it("are refused where the exchange's keys stand elsewhere", () => {
    for (const text of [
      "of: &of { a: 1 }\nvenue: *of\n",
      "venue:\n  <<: { a: 1 }\n  dialect: &d { cancel: list }\nother: *d\n",
    ])
      expect(() => withDialect(text, { cancel: "event" }), text).toThrow(YamlEditError);
  });
});

it("what was not learned is a comment that says why", () => {
  const notLearned = { rowSize: "needs a partial fill" };
  expect(dialectLines({ learned: { cancel: "event" }, notLearned })).toEqual([
    "  dialect:",
    "    cancel: event",
    "    # rowSize: not learned: needs a partial fill",
  ]);
  expect(dialectLines({ learned: {}, notLearned })).toEqual(["    # rowSize: not learned: needs a partial fill"]);
});
