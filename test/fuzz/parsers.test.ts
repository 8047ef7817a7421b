// The parsers under fuzz for as long as patience lasts: every run has a seed of its own, which fast-check prints when it fails.
// An input that fails becomes a plain test beside the parser.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DecimalError, parseDecimal } from "../../src/kernel/decimal.ts";
import { decodeUtf8, JsonError, parseJson } from "../../src/kernel/json.ts";
import { decodeAnswer } from "../../src/wire/answer.ts";
import { WireError } from "../../src/wire/errors.ts";
import { damagedSamples, survives, textParsers, texts } from "../unit/wire/hostile.ts";
import { shapes } from "../unit/wire/shapes.ts";

/** More runs than ten seconds hold; then time decides. */
const runs = { numRuns: 1_000_000_000, interruptAfterTimeLimit: 10_000 };
/** The suite repeats its tests, which ten seconds are long enough to do without. */
const once = { repeats: 0 };

describe("text", once, () => {
  test.each(Object.entries(textParsers))("%s", (_name, parse) => {
    fc.assert(
      fc.property(texts, (text) => survives(() => parse(text), WireError)),
      runs,
    );
  });

  test("parseJson takes what JSON.parse takes, or less", () => {
    fc.assert(
      fc.property(texts, (text) =>
        survives(() => {
          parseJson(text);
          JSON.parse(text);
        }, JsonError),
      ),
      runs,
    );
  });

  test("parseDecimal", () => {
    fc.assert(
      fc.property(texts, fc.nat(18), (text, scale) => survives(() => parseDecimal(text, scale), DecimalError)),
      runs,
    );
  });

  test("decodeUtf8", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => survives(() => decodeUtf8(bytes), JsonError)),
      runs,
    );
  });

  test("decodeAnswer never throws", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 100, max: 599 }), (body, httpStatus) => {
        expect(decodeAnswer({ httpStatus, body, retryAfter: body }).kind).not.toBe("notSent");
      }),
      runs,
    );
  });
});

describe("values", once, () => {
  test.each(shapes)("$name", (shape) => {
    fc.assert(
      fc.property(damagedSamples(shape), (json) => survives(() => shape.decode(json), WireError)),
      runs,
    );
  });
});
