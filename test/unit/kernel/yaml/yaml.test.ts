// Reading YAML: exact values, and the place of each.

import { describe, expect, it } from "vitest";
import { readYaml } from "../../../../src/kernel/yaml/yaml.ts";

describe("values are read exactly", () => {
  it.each([
    ["216.94", 216.94],
    ["0.10", 0.1],
    ["7", 7],
    ["18446744073709551615", 18446744073709551615n],
    ["-9007199254740993", -9007199254740993n],
    ["123456789012.123456789", "123456789012.123456789"],
    ["0.0000001", "0.0000001"],
    ['"5826765"', "5826765"],
    ["true", true],
    ["null", null],
    ["12.0", 12],
  ])("%s", (written, expected) => {
    expect(readYaml(`value: ${written}`).value).toEqual({ value: expected });
  });

  it("reads lists, mappings and aliases", () => {
    const { value, errors } = readYaml("a: &x { size: 0.5 }\nb: [*x, 2]");
    expect(errors).toEqual([]);
    expect(value).toEqual({ a: { size: 0.5 }, b: [{ size: 0.5 }, 2] });
  });
});

describe("places", () => {
  const document = readYaml("venue:\n  chainId: x\naccounts:\n  - accountId: 12\n    markets: [{ marketId: 1 }]\n");

  it("of a value", () => expect(document.locate(["venue", "chainId"])).toEqual({ line: 2, column: 12 }));
  it("of a key", () => expect(document.locate(["accounts", 0, "markets"], "key")).toEqual({ line: 5, column: 5 }));
  it("inside a flow", () =>
    expect(document.locate(["accounts", 0, "markets", 0, "marketId"])).toEqual({ line: 5, column: 27 }));
  it("of what is missing: its nearest parent", () => {
    expect(document.locate(["accounts", 0, "limits", "maxLoss"])).toEqual({ line: 4, column: 5 });
  });
});

describe("the forbidden", () => {
  it("a duplicate key is an error at its place", () => {
    const { errors, value } = readYaml("a: 1\na: 2");
    expect(value).toBeUndefined();
    expect(errors).toMatchObject([{ position: { line: 2, column: 1 } }]);
  });

  it("__proto__ is refused and nothing is polluted", () => {
    const { errors } = readYaml("__proto__: { polluted: true }");
    expect(errors).toHaveLength(1);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("broken syntax is an error, not a throw", () => {
    expect(readYaml("a: [1, 2").errors.length).toBeGreaterThan(0);
    expect(readYaml("\t- a").errors.length).toBeGreaterThan(0);
  });

  it("a bomb of aliases is cut off", () => {
    const rows = ["a0: &a0 [x]"];
    for (let level = 1; level <= 12; level += 1) {
      const previous = `*a${level - 1}`;
      rows.push(`a${level}: &a${level} [${Array(9).fill(previous).join(", ")}]`);
    }
    expect(readYaml(rows.join("\n")).errors.length).toBeGreaterThan(0);
  });
});
