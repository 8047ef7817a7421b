// The walk over JSON text: exact source text of a member, and what JSON.parse would pass over.

import { describe, expect, test } from "vitest";
import { outlineOf, rawMember } from "../../../src/kernel/json-outline.ts";

describe("rawMember", () => {
  test.each([
    ["compact", '{"a":{"x":[1,"}"]},"b":2}', "a", '{"x":[1,"}"]}'],
    ["with blanks kept inside and left out around", ' { "a" :\t{ "x" : 1 } \n, "b":2}', "a", '{ "x" : 1 }'],
    ["the last member", '{"a":1,"b": -1.50e3 }', "b", "-1.50e3"],
    ["a string with quotes and brackets", '{"s":"\\"}],{","b":true}', "s", '"\\"}],{"'],
    ["a string that ends in a backslash", '{"s":"\\\\","b":null}', "b", "null"],
    ["long digits as they stand", '{"n":018,"b":18446744073709551616}', "b", "18446744073709551616"],
    ["an escaped key", '{"\\u0061":[ ]}', "a", "[ ]"],
    ["an empty key", '{"":"x"}', "", '"x"'],
    ["an empty array before it", '{"a":[],"b":{}}', "b", "{}"],
  ])("%s", (_name, text, key, raw) => {
    expect(rawMember(text, key)).toBe(raw);
  });

  test.each([
    ["a missing member", '{"a":1}', "b"],
    ["a member of an inner object", '{"a":{"b":1}}', "b"],
    ["a value that looks like a key", '{"a":"b"}', "b"],
    ["an array", '["a",1]', "a"],
    ["a scalar", "1", "a"],
    ["an empty object", "{}", "a"],
    ["an empty text", "", "a"],
  ])("%s has none", (_name, text, key) => {
    expect(rawMember(text, key)).toBeUndefined();
  });
});

describe("outlineOf", () => {
  test("counts what stands in the text, not what would be parsed", () => {
    expect(outlineOf('{"a":{"a":1,"a":[{}]},"b":":"}')).toEqual({
      depth: 4,
      memberCount: 4,
      plainNumbers: true,
      wholeNumbers: true,
    });
  });

  test.each([
    ["[123456789012345]", true],
    ["[1234567890123456]", false],
    ["[0.1234567890123]", true],
    ["[0.12345678901234]", false],
    ["[1e1]", false],
    ["[1E1]", false],
    ['[true,false,null,"1e1"]', true],
  ])("%s has plain numbers: %s", (text, plainNumbers) => {
    expect(outlineOf(text).plainNumbers).toBe(plainNumbers);
  });

  test.each([
    ["[0,-1,18446744073709551616]", true],
    ['{"1.5e3":"1.5e3"}', true],
    ["[1,1.0]", false],
    ["[-1e2]", false],
    ["[1E2]", false],
  ])("%s has whole numbers alone: %s", (text, wholeNumbers) => {
    expect(outlineOf(text).wholeNumbers).toBe(wholeNumbers);
  });

  test("ends on text that never closes", () => {
    expect(outlineOf('{"a\\').memberCount).toBe(0);
  });
});
