// HTTP answers as bytes, whole and damaged, for the tests of the reader.

import fc from "fast-check";
import { type Answer, AnswerError, AnswerReader } from "../../../../src/bot/venue/remote/answer-reader.ts";

export const BODY_BYTES_MAX = 4000;

/** What a reader makes of the pieces; null: it waits for more. */
export function read(pieces: readonly Buffer[]): Answer | AnswerError | null {
  const reader = new AnswerReader(BODY_BYTES_MAX);
  try {
    for (const [at, piece] of pieces.entries()) {
      const answer = reader.push(piece);
      if (answer === undefined) continue;
      if (at < pieces.length - 1) throw new Error("answered before the last piece");
      return answer;
    }
    return null;
  } catch (thrown) {
    if (thrown instanceof AnswerError) return thrown;
    throw thrown;
  }
}

export const bytesOf = (text: string): Buffer => Buffer.from(text, "utf8");

export const pieceByPiece = (bytes: Buffer, cuts: readonly number[]): readonly Buffer[] => {
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, at) => bytes.subarray(places[at - 1] ?? 0, end));
};

export type Sample = { readonly bytes: Buffer; readonly httpStatus: number; readonly body: string };

const CRLF = "\r\n";
const headers = fc.array(
  fc.constantFrom("Server: x", "X-Odd:", "date: today", "Retry-After: 2", "Keep-Alive: timeout=5"),
);
const statuses = fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304);

/** Answers as servers send them: with a length or in chunks, with interim answers before and trailers behind. */
export const samples: fc.Arbitrary<Sample> = fc
  .record({
    interim: fc.array(fc.constantFrom(100, 102, 103), { maxLength: 2 }),
    httpStatus: statuses,
    headers,
    body: fc.string({ unit: "grapheme", maxLength: 60 }),
    chunks: fc.option(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 5 })),
    trailers: headers,
  })
  .map(({ interim, httpStatus, headers: lines, body, chunks, trailers }) => {
    const before = interim.map((status) => `HTTP/1.1 ${status} Wait${CRLF}Link: x${CRLF}${CRLF}`).join("");
    const raw = bytesOf(body);
    const framing = chunks === null ? `Content-Length: ${raw.length}` : "Transfer-Encoding: chunked";
    const head = bytesOf(`${before}HTTP/1.1 ${httpStatus} OK${CRLF}${[...lines, framing].join(CRLF)}${CRLF}${CRLF}`);
    const bytes = Buffer.concat([head, ...(chunks === null ? [raw] : chunked(raw, chunks, trailers))]);
    return { bytes, httpStatus, body };
  });

function chunked(raw: Buffer, sizes: readonly number[], trailers: readonly string[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const size of [...sizes, raw.length]) {
    const piece = raw.subarray(from, from + size);
    if (piece.length > 0) pieces.push(bytesOf(`${piece.length.toString(16)};a=b${CRLF}`), piece, bytesOf(CRLF));
    from += size;
  }
  return [...pieces, bytesOf(`0${CRLF}${trailers.map((line) => line + CRLF).join("")}${CRLF}`)];
}

/** Samples with a byte changed, left out, doubled or put in. */
export const damagedAnswers: fc.Arbitrary<Buffer> = fc
  .tuple(samples, fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(3)), { minLength: 1, maxLength: 4 }))
  .map(([{ bytes }, changes]) => {
    let damaged = bytes;
    for (const [place, byte, kind] of changes) {
      const at = place % Math.max(1, damaged.length);
      const [before, here, after] = [damaged.subarray(0, at), damaged.subarray(at, at + 1), damaged.subarray(at + 1)];
      const instead = [
        Buffer.from([byte]),
        Buffer.alloc(0),
        Buffer.concat([here, here]),
        Buffer.concat([here, Buffer.from([byte])]),
      ];
      damaged = Buffer.concat([before, instead[kind] ?? here, after]);
    }
    return damaged;
  });
