// JSON that loses nothing and hides nothing: long integers, duplicate and forbidden keys, limits, UTF-8.

import { describe, expect, test } from "vitest";
import { decodeUtf8, JsonError, parseJson, stringifyJson } from "../../../src/kernel/json.ts";

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return thrown instanceof JsonError ? thrown.code : "something else";
  }
}

describe("numbers", () => {
  test("whole numbers of any size come exactly", () => {
    expect(parseJson("[18446744073709551615,-170141183460469231731687303715884105728]")).toEqual([
      2n ** 64n - 1n,
      -(2n ** 127n),
    ]);
  });

  test("up to 2^53 - 1 they are numbers, one further bigint", () => {
    expect(parseJson("9007199254740991")).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseJson("9007199254740992")).toBe(9_007_199_254_740_992n);
    expect(parseJson("-9007199254740991")).toBe(-Number.MAX_SAFE_INTEGER);
    expect(parseJson("-9007199254740992")).toBe(-9_007_199_254_740_992n);
  });

  test("long digits inside strings and keys are text", () => {
    expect(parseJson('{"18446744073709551615":"18446744073709551615"}')).toEqual({
      "18446744073709551615": "18446744073709551615",
    });
  });

  test.each([
    ["1.5", 1.5],
    ["1e3", 1000],
    ["1.5E+3", 1500],
    ["-0.1", -0.1],
    ["3.141592653589793238", Math.PI],
    ["0.00000000000000000000", 0],
    ["1.00000000000000000000", 1],
    ["0e500", 0],
  ])("%s is %d", (text, value) => {
    expect(parseJson(text)).toBe(value);
  });

  test("256 bits are room enough: more digits are refused before a number is made of them", () => {
    expect(parseJson(`${2n ** 256n}`)).toBe(2n ** 256n);
    expect(codeOf(() => parseJson("9".repeat(81)))).toBe("json_number");
    expect(codeOf(() => parseJson("9".repeat(1_000_000)))).toBe("json_number");
  });

  test.each(["1e400", "-1e400", "9007199254740991.4", "0.9999999999999999999", "1e-400"])(
    "%s cannot be held and is refused",
    (text) => {
      expect(codeOf(() => parseJson(`{"a":[${text}]}`))).toBe("json_number");
    },
  );
});

describe("what a lenient parser lets through", () => {
  test.each([
    ['{"a":1,"a":1}'],
    ['{"a":{"b":1,"c":2,"b":3}}'],
    ['[{"a":1},{"a":1,"\\u0061":2}]'],
    ['{"a":1,"b":"x:y","a":18446744073709551615}'],
  ])("a key that stands twice: %s", (text) => {
    expect(codeOf(() => parseJson(text))).toBe("json_duplicate_key");
  });

  test("the same key in different objects is fine, colons in strings are no members", () => {
    expect(parseJson('{"a:b":{"a":":\\":"},"a":{"a":[]}}')).toEqual({ "a:b": { a: ':":' }, a: { a: [] } });
  });

  test.each(["__proto__", "constructor", "prototype", "\\u005f_proto__"])(
    "a key that reaches for prototypes: %s",
    (key) => {
      expect(codeOf(() => parseJson(`{"a":[{"${key}":{"polluted":1}}]}`))).toBe("json_forbidden_key");
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    },
  );

  test("nesting beyond the limit, which counts objects and arrays alike", () => {
    const limits = { lengthMax: 1_000_000, depthMax: 3 };
    expect(parseJson('[{"a":[]}]', limits)).toEqual([{ a: [] }]);
    expect(codeOf(() => parseJson('[{"a":[[]]}]', limits))).toBe("json_too_deep");
    expect(codeOf(() => parseJson("[".repeat(500_000), limits))).toBe("json_too_deep");
    expect(parseJson('"[[[[[[[["', limits)).toBe("[[[[[[[[");
  });

  test("a number that is not written in digits alone, where they have to be", () => {
    const limits = { lengthMax: 100, depthMax: 3, wholeOnly: true } as const;
    const text = '{"a":[1.0,1e3,-0.5,1e400],"b":[7,-7,18446744073709551615],"c":"1.0"}';
    expect(parseJson(text, limits)).toEqual({
      a: [Number.NaN, Number.NaN, Number.NaN, Number.NaN],
      b: [7, -7, 2n ** 64n - 1n],
      c: "1.0",
    });
    expect(parseJson("[18446744073709551615]", limits)).toEqual([2n ** 64n - 1n]);
    expect(codeOf(() => parseJson("[1.0,1.]", limits))).toBe("json_malformed");
  });

  test("text beyond the limit", () => {
    const limits = { lengthMax: 4, depthMax: 3 };
    expect(parseJson("1234", limits)).toBe(1234);
    expect(codeOf(() => parseJson("12345", limits))).toBe("json_too_large");
  });

  test.each([
    "",
    " ",
    "{",
    "[1,]",
    "{'a':1}",
    "{a:1}",
    "01",
    "+1",
    "1.",
    ".5",
    "NaN",
    "Infinity",
    "undefined",
    "1 2",
    '"\t"',
    '"\\x"',
    "\ufeff1",
    "//a\n1",
    "[1e]",
    "tru",
    '{"a"}',
    '{"a":}',
    '"abc',
  ])("no JSON: %j", (text) => {
    expect(codeOf(() => parseJson(text))).toBe("json_malformed");
  });
});

describe("decodeUtf8", () => {
  test("text of every width", () => {
    expect(decodeUtf8(Buffer.from("aé漢🏠"))).toBe("aé漢🏠");
  });

  test.each([
    ["a lone continuation byte", [0x80]],
    ["a sequence cut short", [0xe6, 0xbc]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["half of a surrogate pair", [0xed, 0xa0, 0x80]],
    ["beyond the last code point", [0xf5, 0x80, 0x80, 0x80]],
  ])("refuses %s", (_name, bytes) => {
    expect(codeOf(() => decodeUtf8(Uint8Array.from(bytes)))).toBe("utf8_malformed");
  });

  test("a byte order mark stays, and JSON refuses it", () => {
    expect(codeOf(() => parseJson(decodeUtf8(Uint8Array.from([0xef, 0xbb, 0xbf, 0x31]))))).toBe("json_malformed");
  });
});

describe("stringifyJson", () => {
  test("a bigint is bare digits wherever it stands", () => {
    expect(stringifyJson({ a: 2n ** 64n - 1n, b: [-(2n ** 127n)], c: "1", d: null })).toBe(
      '{"a":18446744073709551615,"b":[-170141183460469231731687303715884105728],"c":"1","d":null}',
    );
  });
});
