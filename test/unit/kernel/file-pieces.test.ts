// Large texts as they lie on a disk: packed or not, in the encodings of spreadsheets, noted and given again.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { PackedFile } from "../../../src/kernel/unpacked.ts";
import { filesOf, notingReads, systemFiles, UnreadableFile } from "../../../src/kernel/yaml/files.ts";
import { scratchFolder } from "../../support/scratch.ts";

const folder = scratchFolder("pieces");
const TEXT = `parcl_id,date,price\r\n${"Ynys Môn,2024-01-31,£217.1\r\n".repeat(6000)}`;

function written(bytes: Uint8Array): string {
  const path = join(folder, "file");
  writeFileSync(path, bytes);
  return path;
}
const read = (bytes: Uint8Array, bytesMax?: number) => [...systemFiles.pieces(written(bytes), bytesMax)].join("");

const utf16 = (text: string) => Buffer.from(text, "utf16le");

test.each([
  ["UTF-8", Buffer.from(TEXT)],
  ["UTF-8 with its mark", Buffer.from(`\uFEFF${TEXT}`)],
  ["UTF-16, little end first, with its mark", utf16(`\uFEFF${TEXT}`)],
  ["UTF-16, little end first", utf16(TEXT)],
  ["UTF-16, big end first, with its mark", utf16(`\uFEFF${TEXT}`).swap16()],
  ["UTF-16, big end first", utf16(TEXT).swap16()],
  ["gzip", gzipSync(TEXT)],
  ["gzip of two members", Buffer.concat([gzipSync(TEXT.slice(0, 100)), gzipSync(TEXT.slice(100))])],
  ["gzip of UTF-16", gzipSync(utf16(`\uFEFF${TEXT}`))],
])("%s is the same text", (_name, bytes) => {
  expect(read(bytes)).toBe(TEXT);
});

test("nothing is nothing", () => {
  expect(read(Buffer.alloc(0))).toBe("");
});

test.each([
  ["a damaged one", gzipSync(TEXT).subarray(0, 50), /packed by gzip, but cut off or damaged/],
  ["a bomb", gzipSync(Buffer.alloc(129 * 2 ** 20)), /larger than 128 MiB once unpacked; unpack it/],
  ["a workbook", Buffer.from("PK\x03\x04…"), /a ZIP archive or an Excel workbook/],
  ["another program's", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), /packed by xz/],
])("%s is refused by its name", (_name, bytes, says) => {
  expect(() => read(bytes)).toThrow(PackedFile);
  expect(() => read(bytes)).toThrow(says);
});

test("a file above the limit, and what is no file, is refused", () => {
  expect(() => read(Buffer.from(TEXT), 1000)).toThrow(UnreadableFile);
  expect(() => [...systemFiles.pieces(folder)]).toThrow(/not a regular file/);
});

test("what was noted stands for the file, decoded", () => {
  const texts = new Map<string, string>();
  const path = written(gzipSync(utf16(TEXT)));
  expect([...notingReads(systemFiles, texts).pieces(path)].join("")).toBe(TEXT);
  expect([...filesOf(texts).pieces(path)]).toEqual([TEXT]);
});
