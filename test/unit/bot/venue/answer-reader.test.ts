// The bytes of an HTTP answer: only one whole answer and nothing else is one. The property tests hold for any bytes and any cuts.

import { describe, expect, test } from "vitest";
import { AnswerError, AnswerReader } from "../../../../src/bot/venue/remote/answer-reader.ts";
import { BODY_BYTES_MAX, bytesOf, read } from "./answers.ts";

const lines = (...rows: readonly string[]): string => rows.join("\r\n");
const readText = (text: string) => read([bytesOf(text)]);
const withHead = (...headers: readonly string[]) => readText(lines("HTTP/1.1 200 OK", ...headers, "", "{}"));

describe("whole answers", () => {
  test("status, body and the headers that matter", () => {
    expect(withHead("Content-Length: 2", "Retry-After:  7 ", "Keep-Alive: timeout=5, max=9")).toEqual({
      httpStatus: 200,
      body: "{}",
      retryAfter: "7",
      isLast: false,
      keepAliveMs: 5000,
    });
  });

  test("an empty body of length 0 is whole with the head", () => {
    expect(readText(lines("HTTP/1.1 503 ", "content-length:0", "", ""))).toMatchObject({ httpStatus: 503, body: "" });
  });

  test.each(["Connection: close", "connection: Keep-Alive, Close"])("%s makes it the last", (header) => {
    expect(withHead("Content-Length: 2", header)).toMatchObject({ isLast: true });
  });

  test("one of HTTP/1.0 is the last", () => {
    expect(readText(lines("HTTP/1.0 200 OK", "Content-Length: 2", "", "{}"))).toMatchObject({ isLast: true });
  });

  test("a body without a length ends with the connection, and no sooner", () => {
    const reader = new AnswerReader(BODY_BYTES_MAX);
    expect(reader.push(bytesOf(lines("HTTP/1.1 400 Bad Request", "", "{")))).toBeUndefined();
    expect(reader.push(bytesOf("}"))).toBeUndefined();
    expect(reader.isOpenEnded).toBe(true);
    expect(reader.end()).toMatchObject({ httpStatus: 400, body: "{}", isLast: true });
  });

  test("two times to wait are none", () => {
    expect(withHead("Content-Length: 2", "Retry-After: 1", "Retry-After: 2")).toMatchObject({ retryAfter: null });
  });

  test("interim answers are passed over", () => {
    const interim = lines("HTTP/1.1 103 Early Hints", "Link: </x>", "", "");
    const text = interim + interim + lines("HTTP/1.1 200 OK", "Content-Length: 2", "", "{}");
    expect(readText(text)).toMatchObject({ httpStatus: 200, body: "{}" });
  });

  test("chunks with extensions and trailers", () => {
    const text = lines(
      "HTTP/1.1 200 OK",
      "Transfer-Encoding: Chunked",
      "",
      "1;x=y",
      "{",
      "A",
      '"a":12345}',
      "0",
      "X: y",
      "",
      "",
    );
    expect(readText(text.replace("A\r\n", "a\r\n"))).toMatchObject({ body: '{"a":12345}' });
  });
});

describe("malformed", () => {
  const whole = lines("HTTP/1.1 200 OK", "Content-Length: 2", "", "{}");
  const chunks = (...rows: readonly string[]) => lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", ...rows);
  test.each([
    ["bytes behind it", `${whole}x`],
    ["a second answer behind it", whole + whole],
    ["a blank line before it", `\r\n${whole}`],
    ["another protocol", "SSH-2.0-OpenSSH\r\n\r\n"],
    ["HTTP/2", "HTTP/2 200\r\n\r\n"],
    ["a status of two digits", lines("HTTP/1.1 20", "Content-Length: 0", "", "")],
    ["no status that there is", lines("HTTP/1.1 600 No", "Content-Length: 0", "", "")],
    ["two lengths that differ", lines("HTTP/1.1 200 OK", "Content-Length: 2", "Content-Length: 3", "", "{}")],
    [
      "a length that differs behind a blank",
      lines("HTTP/1.1 200 OK", "Content-Length: 2", "Content-Length : 3", "", "{}"),
    ],
    ["a length that a fold made another", lines("HTTP/1.1 200 OK", "Content-Length: 2", " 3", "", "{}")],
    ["a negative length", lines("HTTP/1.1 200 OK", "Content-Length: -2", "", "{}")],
    [
      "a length and chunks",
      lines("HTTP/1.1 200 OK", "Content-Length: 2", "Transfer-Encoding: chunked", "", "0", "", ""),
    ],
    ["chunks of chunks", lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked, chunked", "", "0", "", "")],
    [
      "a body that is not packed as it says",
      lines("HTTP/1.1 200 OK", "Content-Encoding: gzip", "Content-Length: 2", "", "{}"),
    ],
    ["a packing that nobody knows", lines("HTTP/1.1 200 OK", "Content-Encoding: zstd", "Content-Length: 2", "", "{}")],
    ["chunks within a packing", lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked, gzip", "", "0", "", "")],
    ["another protocol from here on", lines("HTTP/1.1 101 Switching Protocols", "Content-Length: 0", "", "")],
    ["no content", lines("HTTP/1.1 204 No Content", "", "")],
    ["a chunk longer than its size", chunks("1", "{}", "0", "", "")],
    ["a chunk without a size", chunks("", "{}", "0", "", "")],
    ["a chunk of negative size", chunks("-1", "{}", "0", "", "")],
  ])("%s", (_, text) => {
    expect(readText(text)).toMatchObject({ code: "malformed" });
  });

  test("bytes that are not UTF-8", () => {
    const head = bytesOf(lines("HTTP/1.1 200 OK", "Content-Length: 2", "", ""));
    expect(read([head, Buffer.from([0xc3, 0x28])])).toMatchObject({ code: "malformed" });
  });
});

describe("limits", () => {
  test("a body of the greatest length is read, a longer one is refused before it comes", () => {
    const head = (length: number) => bytesOf(lines("HTTP/1.1 200 OK", `Content-Length: ${length}`, "", ""));
    expect(read([head(BODY_BYTES_MAX), Buffer.alloc(BODY_BYTES_MAX, "x")])).toMatchObject({ httpStatus: 200 });
    expect(read([head(BODY_BYTES_MAX + 1)])).toMatchObject({ code: "tooLarge" });
  });

  test("chunks without end are refused, be they ever so small", () => {
    const head = bytesOf(lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", ""));
    const chunk = bytesOf(lines("1", "x", ""));
    expect(read([head, ...Array.from({ length: BODY_BYTES_MAX }, () => chunk)])).toMatchObject({ code: "tooLarge" });
    expect(read([head, bytesOf("ffffffff\r\n")])).toMatchObject({ code: "tooLarge" });
  });

  test("a body without a length is refused when it is longer", () => {
    const head = bytesOf(lines("HTTP/1.1 200 OK", "", ""));
    expect(read([head, Buffer.alloc(BODY_BYTES_MAX, "x")])).toBeNull();
    expect(read([head, Buffer.alloc(BODY_BYTES_MAX + 1, "x")])).toMatchObject({ code: "tooLarge" });
  });

  test.each(["HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n"])("a head without end is refused: %j", (start) => {
    expect(read(Array.from({ length: 2000 }, () => bytesOf(start)))).toBeInstanceOf(AnswerError);
    const line = "X: y\r\n";
    expect(read([bytesOf("HTTP/1.1 200 OK\r\n"), ...Array.from({ length: 4000 }, () => bytesOf(line))])).toMatchObject({
      code: "tooLarge",
    });
    expect(read([bytesOf("x".repeat(20_000))])).toMatchObject({ code: "tooLarge" });
  });
});
