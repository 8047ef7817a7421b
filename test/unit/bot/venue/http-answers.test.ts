// One reading of HTTP answers, over real sockets: each way of sending one means the same for an order as for a read.

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { createRemoteVenue, defaultRemoteOptions } from "../../../../src/bot/venue/remote/remote.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { serveTcp } from "./loopback.ts";

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

/** Both a whole answer to a transaction and an order book. */
const BODY = `{"status":"success","hash":"é","events":[],"marketId":1,"bids":[],"asks":[]}`;
const bytes = Buffer.from(BODY);

const head = (...lines: readonly string[]): Buffer => Buffer.from([...lines, "", ""].join("\r\n"), "latin1");
const withHead = (...lines: readonly string[]): Buffer =>
  Buffer.concat([head("HTTP/1.1 200 OK", `Content-Length: ${bytes.length}`, ...lines), bytes]);
const packed = (coding: string, body: Buffer): Buffer =>
  Buffer.concat([head("HTTP/1.1 200 OK", `Content-Encoding: ${coding}`, `Content-Length: ${body.length}`), body]);
const chunks = (...trailers: readonly string[]): Buffer => {
  const pieces = [bytes.subarray(0, 7), bytes.subarray(7)];
  const framed = pieces.flatMap((piece) => [
    Buffer.from(`${piece.length.toString(16)}\r\n`),
    piece,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...framed, head("0", ...trailers)]);
};

type Reply = { readonly bytes: Buffer; readonly close?: true };

/** What a read and an order make of the same answer. */
async function bothWays({ bytes: answer, close }: Reply): Promise<{ readonly post: string; readonly get: string }> {
  const server = await serveTcp((socket) => {
    socket.on("data", () => (close ? socket.end(answer) : socket.write(answer)));
  });
  open.push(server);
  const venue = createRemoteVenue(
    { ...defaultRemoteOptions, readTimeoutMs: 2000, submitTimeoutMs: 2000, validatorUrl: server.url },
    { clock: systemClock, prng: createPrng(1n), report: () => {} },
  );
  open.push(venue);
  const [post, get] = await Promise.all([
    venue.submit("{}", "place").then((outcome) => outcome.kind),
    venue.reads.book(1).then(
      () => "read",
      (error: Error) => error.message,
    ),
  ]);
  return { post, get };
}

describe("taken", () => {
  test.each<[string, Reply]>([
    ["an encoding that is none", { bytes: withHead("Content-Encoding: identity") }],
    ["a transfer encoding that is none", { bytes: withHead("Transfer-Encoding: identity") }],
    ["a name with an odd letter", { bytes: withHead("X-Ödd: 1", "X(y): 2", "X@z: 3") }],
    ["a name with blanks", { bytes: withHead("X Odd : 1") }],
    ["a line without a colon", { bytes: withHead("nonsense") }],
    ["a line that begins with a colon", { bytes: withHead(": nothing") }],
    ["a value with control characters", { bytes: withHead("X: \u0000\u0007") }],
    ["a value that is no Latin text", { bytes: withHead("Server: \u00e2\u0080\u00ae") }],
    ["a folded value", { bytes: withHead("X: a", "\tb", "  c") }],
    ["the same header often", { bytes: withHead("Set-Cookie: a", "Set-Cookie: b", "Date: x", "Date: y") }],
    ["one length said twice", { bytes: withHead(`content-length: ${bytes.length}, ${bytes.length}`) }],
    [
      "a length behind blanks",
      { bytes: Buffer.concat([head("HTTP/1.1 200 OK", `CONTENT-LENGTH \t: ${bytes.length} `), bytes]) },
    ],
    [
      "lines that end without carriage returns",
      { bytes: Buffer.from(withHead("x: y").toString().replaceAll("\r", "")) },
    ],
    [
      "a status line without words",
      { bytes: Buffer.concat([head("HTTP/1.1 200", `content-length: ${bytes.length}`), bytes]) },
    ],
    [
      "interim answers before it",
      {
        bytes: Buffer.concat([
          head("HTTP/1.1 100 Continue", "Content-Length: 9"),
          head("HTTP/1.1 103 Early", "Link: x"),
          withHead(),
        ]),
      },
    ],
    ["chunks", { bytes: Buffer.concat([head("HTTP/1.1 200 OK", "transfer-encoding: CHUNKED"), chunks()]) }],
    [
      "chunks and trailers",
      {
        bytes: Buffer.concat([
          head("HTTP/1.1 200 OK", "Transfer-Encoding: identity, chunked"),
          chunks("Content-Length: 1", "nonsense"),
        ]),
      },
    ],
    ["HTTP/1.0 that ends by closing", { bytes: Buffer.concat([head("HTTP/1.0 200 OK"), bytes]), close: true }],
    [
      "HTTP/1.1 that ends by closing",
      { bytes: Buffer.concat([head("HTTP/1.1 200 OK", "Connection: close"), bytes]), close: true },
    ],
    ["gzip", { bytes: packed("gzip", gzipSync(bytes)) }],
    ["x-gzip", { bytes: packed("X-GZIP", gzipSync(bytes)) }],
    ["deflate", { bytes: packed("deflate", deflateSync(bytes)) }],
    ["deflate without its frame", { bytes: packed("deflate", deflateRawSync(bytes)) }],
    ["brotli", { bytes: packed("br", brotliCompressSync(bytes)) }],
    ["gzip within brotli", { bytes: packed("gzip, br", brotliCompressSync(gzipSync(bytes))) }],
  ])("%s", async (_, reply) => {
    expect(await bothWays(reply)).toEqual({ post: "executed", get: "read" });
  });
});

describe("not one whole answer: the order is unknown, the read fails", () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000, " "));
  test.each<[string, Reply]>([
    ["two lengths that differ", { bytes: withHead(`Content-Length: ${bytes.length + 1}`) }],
    [
      "a length and chunks",
      { bytes: Buffer.concat([head("HTTP/1.1 200 OK", "Content-Length: 5", "Transfer-Encoding: chunked"), chunks()]) },
    ],
    ["bytes behind it", { bytes: Buffer.concat([withHead(), Buffer.from("HTTP/1.1 200 OK\r\n")]) }],
    ["a body that is cut off", { bytes: withHead().subarray(0, -1), close: true }],
    [
      "chunks that are cut off",
      {
        bytes: Buffer.concat([head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"), chunks().subarray(0, -2)]),
        close: true,
      },
    ],
    ["gzip that is cut off", { bytes: packed("gzip", gzipSync(bytes).subarray(0, -4)) }],
    ["gzip without end", { bytes: packed("gzip", bomb) }],
    ["an unknown encoding", { bytes: packed("zstd", bytes) }],
    ["three encodings", { bytes: packed("gzip, gzip, gzip", gzipSync(gzipSync(gzipSync(bytes)))) }],
    ["no HTTP", { bytes: Buffer.from("SSH-2.0-OpenSSH\r\n\r\n"), close: true }],
  ])("%s", async (_, reply) => {
    const { post, get } = await bothWays(reply);
    expect(post).toBe("unknown");
    expect(get).toMatch(/^GET \/v1\/markets\/1\/orderbook: (malformed|connection|tooLarge): /);
  });
});

test.each([200, 400, 401, 403, 408, 425, 451, 500, 503, 520])(
  "HTTP %i with a web page is the word of something in between, both ways",
  async (status) => {
    const page = Buffer.from("<!doctype html><title>Sorry</title>");
    const answer = Buffer.concat([head(`HTTP/1.1 ${status} X`, `Content-Length: ${page.length}`), page]);
    const { post, get } = await bothWays({ bytes: answer });
    expect(post).toBe("unknown");
    expect(get).toContain(`something between us and the exchange answered HTTP ${status} with a web page ("Sorry")`);
  },
);
