// One array of numpy in an .npz file, which is a ZIP archive: written whole, and read piece by piece.

import { Unzip, UnzipInflate, Zip, ZipDeflate } from "fflate";
import { CodedError } from "../../kernel/errors.ts";

/** The file holds no array of the wanted shape, or is damaged. */
export class NpzError extends CodedError<"npz"> {}

const MAGIC = Buffer.from("\x93NUMPY\x01\x00", "latin1");
const PREFIX_BYTES = MAGIC.length + 2;
/** numpy starts the rows at a multiple of this. */
const ALIGNMENT = 64;
const HEADER_BYTES_MAX = 2 ** 16;

/** `descr`: the type of a row as numpy writes it. `pieces`: `count` rows in all. Throws what `write` throws. */
export function writeNpz(
  { descr, count, pieces }: { readonly descr: string; readonly count: number; readonly pieces: Iterable<Uint8Array> },
  write: (bytes: Uint8Array) => void,
): void {
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error;
    write(bytes);
  });
  const array = new ZipDeflate("data.npy");
  zip.add(array);
  const text = `{'descr': ${descr}, 'fortran_order': False, 'shape': (${count},), }`;
  const length = Math.ceil((PREFIX_BYTES + text.length + 1) / ALIGNMENT) * ALIGNMENT - PREFIX_BYTES;
  const header = Buffer.concat([MAGIC, Buffer.alloc(2), Buffer.from(`${text.padEnd(length - 1)}\n`, "latin1")]);
  header.writeUInt16LE(length, MAGIC.length);
  array.push(header);
  for (const piece of pieces) array.push(piece);
  array.push(new Uint8Array(), true);
  zip.end();
}

/**
 * Yields the rows of the array `data` as pieces of whole rows. `chunks`: the bytes of the file. Throws NpzError when its rows have another
 * type than `descr`, or the file ends too early.
 */
export function* npzRows(
  chunks: Iterable<Uint8Array>,
  { descr, rowBytes }: { readonly descr: string; readonly rowBytes: number },
): Generator<Buffer, void> {
  const unpacked: Uint8Array[] = [];
  let isWhole = false;
  const unzip = new Unzip((file) => {
    if (file.name !== "data.npy") return;
    file.ondata = (error, bytes, isLast) => {
      if (error !== null) throw new NpzError("npz", `is damaged: ${error.message}`, { cause: error });
      unpacked.push(bytes);
      isWhole ||= isLast;
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  let rest: Buffer = Buffer.alloc(0);
  let left: number | null = null;
  for (const chunk of chunks) {
    pushInto(unzip, Buffer.from(chunk));
    if (unpacked.length === 0) continue;
    rest = Buffer.concat([rest, ...unpacked.splice(0)]);
    if (left === null) {
      const header = headerOf(rest);
      if (header === null) continue;
      left = rowsOf(header.text, descr);
      rest = rest.subarray(header.end);
    }
    const rows = Math.min(left, Math.floor(rest.length / rowBytes));
    left -= rows;
    yield rest.subarray(0, rows * rowBytes);
    rest = rest.subarray(rows * rowBytes);
  }
  if (left === null) throw new NpzError("npz", "has no array `data`, or is no .npz file");
  if (left > 0 || !isWhole) throw new NpzError("npz", `is cut off: ${left} rows are missing`);
}

function pushInto(unzip: Unzip, chunk: Uint8Array): void {
  try {
    unzip.push(chunk);
  } catch (cause) {
    if (cause instanceof NpzError) throw cause;
    throw new NpzError("npz", "is damaged, or is no .npz file", { cause });
  }
}

/** Null: more bytes are needed. */
function headerOf(bytes: Buffer): { readonly text: string; readonly end: number } | null {
  if (bytes.length < PREFIX_BYTES + 2) return null;
  if (!bytes.subarray(0, 6).equals(MAGIC.subarray(0, 6))) throw new NpzError("npz", "has a `data` that is no array");
  // Version 2 has a longer length.
  const [length, start] =
    bytes[6] === 1
      ? [bytes.readUInt16LE(MAGIC.length), PREFIX_BYTES]
      : [bytes.readUInt32LE(MAGIC.length), PREFIX_BYTES + 2];
  if (length > HEADER_BYTES_MAX) throw new NpzError("npz", "has a `data` with a header that cannot be read");
  const end = start + length;
  return bytes.length < end ? null : { text: bytes.toString("latin1", start, end), end };
}

function rowsOf(header: string, descr: string): number {
  const [, found] = /'descr':\s*(.*?),\s*'fortran_order'/s.exec(header) ?? [];
  const [, count] = /'shape':\s*\((\d+),\)/.exec(header) ?? [];
  const plain = (text: string | undefined): string | undefined => text?.replace(/\s/g, "");
  if (plain(found) !== plain(descr) || count === undefined)
    throw new NpzError("npz", `has rows of type ${(found ?? header).trim().slice(0, 300)}; needed: ${descr}`);
  return Number(count);
}
