// No input breaks a parser: whatever comes in, what goes out is a value or a coded error, and the world is as it was.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DecimalError, formatDecimal, parseDecimal } from "../../src/kernel/decimal.ts";
import { decodeUtf8, type Json, JsonError, parseJson, stringifyJson } from "../../src/kernel/json.ts";
import { rawMember } from "../../src/kernel/json-outline.ts";
import { decodeAnswer } from "../../src/wire/answer.ts";
import { WireError } from "../../src/wire/errors.ts";
import { activationFee, bridgeOwner, readOpenOrderCap } from "../../src/wire/rest/exchange.ts";
import { damagedSamples, survives, textParsers, texts } from "../unit/wire/hostile.ts";
import { shapes } from "../unit/wire/shapes.ts";

describe("JSON", () => {
  test("parseJson agrees with JSON.parse on everything it takes, and takes nothing that JSON.parse refuses", () => {
    fc.assert(
      fc.property(texts, (text) => {
        let mine: unknown;
        try {
          mine = parseJson(text);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(JsonError);
          return;
        }
        // Written again, since JSON has no -0 and one of the two sides went through text.
        const rounded = JSON.parse(JSON.stringify(JSON.parse(text)));
        expect(JSON.parse(stringifyJson(mine as Json))).toEqual(rounded);
      }),
    );
  });

  test("parse(stringify(v)) = v, integers of any size included", () => {
    const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constant(null),
        fc.boolean(),
        fc.string({ unit: "grapheme" }),
        fc.bigInt().map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value)),
        fc
          .double({ noDefaultInfinity: true, noNaN: true })
          .filter((value) => !Object.is(value, -0) && Math.abs(value) < 2 ** 53),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(
          fc.string().filter((key) => !["__proto__", "constructor", "prototype"].includes(key)),
          tie("value"),
          {
            maxKeys: 4,
            noNullPrototype: true,
          },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        expect(parseJson(stringifyJson(value), { lengthMax: 1e7, depthMax: 100 })).toEqual(value);
      }),
    );
  });

  test("rawMember is the source text: parsing it gives the member", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
        fc.nat(4),
        (members, indent) => {
          const text = JSON.stringify(members, null, indent);
          for (const [key, value] of Object.entries(members)) {
            expect(JSON.parse(rawMember(text, key) ?? "")).toEqual(JSON.parse(JSON.stringify(value)));
          }
        },
      ),
    );
  });

  test("bytes of any kind are text or utf8_malformed", () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => survives(() => decodeUtf8(bytes), JsonError)));
  });
});

describe("decimals", () => {
  test("parse(format(v)) = v at every scale", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), fc.nat(18), (value, scale) => {
        expect(parseDecimal(formatDecimal(value, scale), scale)).toBe(value);
      }),
    );
  });

  test("any text is a number or a DecimalError", () => {
    const digits = fc.stringMatching(/^[-+ .0-9eE_x]{0,12}$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), digits), fc.nat(8), (text, scale) =>
        survives(() => parseDecimal(text, scale), DecimalError),
      ),
    );
  });
});

describe("text from outside", () => {
  test.each(Object.entries(textParsers))("%s throws nothing but WireError", (_name, parse) => {
    fc.assert(fc.property(texts, (text) => survives(() => parse(text), WireError)));
  });

  test("an answer is always one of five ends, whatever its body and code", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 100, max: 599 }), fc.option(fc.string()), (body, httpStatus, retryAfter) => {
        const { kind } = decodeAnswer({ httpStatus, body, retryAfter });
        expect(["executed", "refused", "rejected", "rateLimited", "unknown"]).toContain(kind);
      }),
    );
  });
});

describe.each(shapes)("values from outside: $name", (shape) => {
  test("are read or refused with a WireError, nothing else", () => {
    fc.assert(
      fc.property(damagedSamples(shape), (json) => survives(() => shape.decode(json), WireError)),
      { numRuns: 200 },
    );
  });
});

test("the lookups of single settings are no exception", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      for (const decode of [readOpenOrderCap, activationFee.read, bridgeOwner.read]) {
        survives(() => decode(json), WireError);
      }
    }),
  );
});
