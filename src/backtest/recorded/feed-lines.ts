// Lines of market data as its publishers hand it out: plain text or gzip of any size, of which 64 KiB are held at a time.

import { crc32 } from "node:zlib";
import { Gunzip } from "fflate";
import { CodedError } from "../../kernel/errors.ts";
import { decoded } from "../../kernel/text-encoding.ts";

/** What a file lacks, with its name, and the line or row where it is known. */
export class FeedError extends CodedError<"feed"> {}

/** A file's name, and its bytes from the beginning; read once. */
export type FeedFile = { readonly file: string; readonly chunks: Iterable<Uint8Array> };
export type FeedLine = { readonly file: string; readonly line: number; readonly text: string };

export const wrongLine = ({ file, line }: Pick<FeedLine, "file" | "line">, why: string): FeedError =>
  new FeedError("feed", `${file}:${line}: ${why}`);

/** Without blank ones at the end. Throws FeedError when a packed file is cut off or damaged. */
export function* feedLines({ file, chunks }: FeedFile): Generator<FeedLine, void> {
  let [line, rest, blanks] = [0, "", 0];
  for (const piece of textOf({ file, chunks })) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      line += 1;
      if (text.trim() === "") blanks += 1;
      else {
        for (; blanks > 0; blanks -= 1) yield { file, line: line - blanks, text: "" };
        yield { file, line, text: text.endsWith("\r") ? text.slice(0, -1) : text };
      }
    }
  }
  if (rest.trim() !== "") yield { file, line: line + 1, text: rest.trimEnd() };
}

function* textOf({ file, chunks }: FeedFile): Generator<string, void> {
  let gunzip: PackedText | null = null;
  function* unpacked(): Generator<Uint8Array, void> {
    let isFirst = true;
    for (const chunk of chunks) {
      if (isFirst && chunk[0] === 0x1f && chunk[1] === 0x8b) gunzip = new PackedText(file);
      isFirst = false;
      if (gunzip === null) yield chunk;
      else yield* gunzip.push(Buffer.from(chunk), false);
    }
    if (gunzip !== null) yield* gunzip.push(new Uint8Array(), true);
  }
  yield* decoded(unpacked());
}

const TRAILER_BYTES = 8;

/** Unpacks gzip and compares its checksum, which the library does not. */
class PackedText {
  readonly #file: string;
  readonly #unpacked: Uint8Array[] = [];
  readonly #gunzip = new Gunzip((bytes) => void this.#unpacked.push(bytes));
  #end = Buffer.alloc(0);
  #checksum = 0;
  #members = 1;

  constructor(file: string) {
    this.#file = file;
    this.#gunzip.onmember = () => {
      this.#members += 1;
    };
  }

  *push(chunk: Uint8Array, isLast: boolean): Generator<Uint8Array, void> {
    this.#end = Buffer.concat([this.#end, chunk]).subarray(-TRAILER_BYTES);
    try {
      this.#gunzip.push(chunk, isLast);
    } catch (cause) {
      throw new FeedError("feed", `${this.#file} is packed by gzip, but cut off or damaged`, { cause });
    }
    for (const bytes of this.#unpacked.splice(0)) {
      this.#checksum = crc32(bytes, this.#checksum);
      yield bytes;
    }
    // Each of several members has a checksum of its own.
    if (isLast && this.#members === 1 && this.#end.readUInt32LE(0) !== this.#checksum)
      throw new FeedError("feed", `${this.#file} is packed by gzip, but cut off or damaged`);
  }
}
