// Every parser that meets text or values from outside, and input that is made to break them: shared by the suite and by the long
// fuzz run.

import fc from "fast-check";
import { expect } from "vitest";
import { accountId } from "../../../src/domain/units.ts";
import { openEnvelope, openRequest } from "../../../src/wire/envelope.ts";
import { readFillsCsv } from "../../../src/wire/rest/history.ts";
import { decodeClientMessage } from "../../../src/wire/stream/client.ts";
import { decodeServerMessage } from "../../../src/wire/stream/server-decode.ts";
import golden from "../../vectors/envelopes.json" with { type: "json" };
import type { Shape } from "./shapes.ts";

/** Passes for values and for the error classes that the parser declares. */
export function survives(run: () => unknown, ...declared: readonly (new (...args: never[]) => Error)[]): void {
  try {
    run();
  } catch (thrown) {
    expect(
      declared.some((kind) => thrown instanceof kind),
      String(thrown),
    ).toBe(true);
  }
}

const goodTexts = [
  ...golden.vectors.flatMap((vector) => [vector.body, vector.transactionText]),
  '{"type":"orderbookSnapshot","market_id":1,"bids":[{"price":"5","size":"6","orderCount":2}],"asks":[]}',
  '{"type":"subscribe","channels":[{"channel":"orderbook","market_id":0}]}',
  '{"status":"success","hash":"ab","events":[{"type":"Fill","price":"1"}]}',
  '{"a":[1,-2.5e3,"x\\u00e9\\n",null,true,{"b":{}}],"n":18446744073709551615}',
];

/** Good text with a few characters cut, doubled or replaced. */
const mutated: fc.Arbitrary<string> = fc
  .record({
    text: fc.constantFrom(...goodTexts),
    edits: fc.array(
      fc.record({
        at: fc.nat(),
        cut: fc.nat(5),
        paste: fc.oneof(
          fc.constantFrom(
            '"',
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\\",
            "null",
            "1e999",
            "-",
            '"a":1,',
            "\u0000",
            "9".repeat(40),
          ),
          fc.string({ maxLength: 4, unit: "binary" }),
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ text, edits }) =>
    edits.reduce((edited, { at, cut, paste }) => {
      const start = at % (edited.length + 1);
      return edited.slice(0, start) + paste + edited.slice(start + cut);
    }, text),
  );

export const texts = fc.oneof(mutated, fc.json(), fc.string({ unit: "binary", maxLength: 200 }));

const plainObject = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      "marketId",
      "accountId",
      "price",
      "size",
      "side",
      "bids",
      "tiers",
      "type",
      "events",
      "status",
      "hash",
    ),
    fc.constantFrom("toString", "__proto__", "constructor", "hasOwnProperty", "length"),
    fc.string(),
  ),
  fc.jsonValue(),
);
const values = fc.oneof(
  fc.jsonValue(),
  plainObject,
  fc.array(plainObject, { maxLength: 3 }),
  fc.bigInt(),
  fc.constant(undefined),
);

/** Parsers of text, WireError being all they may throw. */
export const textParsers: Readonly<Record<string, (text: string) => unknown>> = {
  openEnvelope: (text) => openEnvelope(Buffer.from(text)),
  openRequest: (text) => openRequest(Buffer.from(text)),
  decodeClientMessage,
  decodeServerMessage: (text) => decodeServerMessage(text, 0),
  readFillsCsv: (text) => readFillsCsv(text, accountId(12n)),
};

type Damage = { readonly path: readonly number[]; readonly replacement: unknown };

const damages: fc.Arbitrary<Damage> = fc.record({
  path: fc.array(fc.nat(), { maxLength: 4 }),
  replacement: fc.oneof(
    fc.constantFrom(undefined, null, "", "0x", -1, 0.5, "1e3", 2 ** 53, 2n ** 200n, [], {}, [[]], true),
    fc.jsonValue({ maxDepth: 2 }),
  ),
});

/** A copy in which what stands at the end of the path is replaced, or gone. */
function damaged(json: unknown, { path, replacement }: Damage): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof json !== "object" || json === null) return replacement;
  const keys = Object.keys(json);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return replacement;
  const members = json as Readonly<Record<string, unknown>>;
  const changed = damaged(members[key], { path: rest, replacement });
  return Array.isArray(json) ? json.with(Number(key), changed) : { ...members, [key]: changed };
}

/** Good values of a shape with something wrong somewhere inside, and values that are no such shape at all. */
export const damagedSamples = ({ samples }: Shape): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(samples, damages).map(([{ json }, damage]) => damaged(json, damage)) },
    values,
  );
