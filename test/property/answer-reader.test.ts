// Any answer, cut anywhere and damaged anyhow: the fate of an order is never read from less, or from more, than one whole answer.

import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerError } from "../../src/bot/venue/remote/answer-reader.ts";
import { bytesOf, damagedAnswers, pieceByPiece, read, samples } from "../unit/bot/venue/answers.ts";

const cuts = fc.array(fc.nat(), { maxLength: 8 });

test("however an answer is cut, it is the same answer", () => {
  fc.assert(
    fc.property(samples, cuts, ({ bytes, httpStatus, body }, places) => {
      expect(read(pieceByPiece(bytes, places))).toMatchObject({ httpStatus, body });
    }),
  );
});

test("byte by byte, nothing is an answer before its last byte", () => {
  fc.assert(
    fc.property(samples, ({ bytes, httpStatus, body }) => {
      const single = Array.from(bytes, (byte) => Buffer.from([byte]));
      expect(read(single.slice(0, -1))).toBeNull();
      expect(read(single)).toMatchObject({ httpStatus, body });
    }),
  );
});

test("no answer with anything behind it is one", () => {
  fc.assert(
    fc.property(samples, fc.uint8Array({ minLength: 1, maxLength: 50 }), ({ bytes }, more) => {
      expect(read([Buffer.concat([bytes, more])])).toMatchObject({ code: "malformed" });
    }),
  );
});

test("damaged answers and any other bytes are answers, refused or unfinished, and nothing else", () => {
  const anything = fc.oneof(
    damagedAnswers,
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(anything, cuts, (bytes, places) => {
      const result = read(bytes.length === 0 ? [] : pieceByPiece(bytes, places).slice(0, 1));
      if (result !== null && !(result instanceof AnswerError)) expect(result.httpStatus).toBeGreaterThanOrEqual(200);
    }),
  );
});

test("what a lone head promises is read to its end, whatever the end looks like", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (body) => {
      const head = bytesOf(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length + 1}\r\n\r\n`);
      expect(read([head, Buffer.from(body)])).toBeNull();
    }),
  );
});
