// Files as they come from a download: what gzip packed is unpacked, and other packed files are refused by their name.

import { gunzipSync } from "node:zlib";

/** A packed file that is not unpacked here. */
export class PackedFile extends Error {}

/** Unpacked bytes: all of them are held at once, unlike those of an unpacked file. */
const UNPACKED_MAX = 128 * 2 ** 20;
/** Bytes of a chunk, unpacked. */
const CHUNK = 64 * 1024;

/** The bytes by which each format begins, and what to do with such a file. */
const formats: readonly { readonly begins: readonly number[]; readonly says: string }[] = [
  {
    begins: [0x50, 0x4b, 0x03, 0x04],
    says: "is a ZIP archive or an Excel workbook; unpack it, or save its sheet as CSV",
  },
  { begins: [0xd0, 0xcf, 0x11, 0xe0], says: "is an Excel workbook; save its sheet as CSV" },
  { begins: [0x28, 0xb5, 0x2f, 0xfd], says: "is packed by zstd; unpack it with `zstd -d`" },
  { begins: [0xfd, 0x37, 0x7a, 0x58], says: "is packed by xz; unpack it with `xz -d`" },
  { begins: [0x42, 0x5a, 0x68], says: "is packed by bzip2; unpack it with `bzip2 -d`" },
  { begins: [0x50, 0x41, 0x52, 0x31], says: "is a Parquet file; export it as CSV" },
];
const GZIP = [0x1f, 0x8b] as const;

/** The bytes of `chunks`, unpacked; `size` is how many there are, packed. Throws PackedFile. */
export function* unpacked(chunks: Iterable<Uint8Array>, size: number): Generator<Uint8Array, void> {
  let packed: Buffer | null = null;
  let length = 0;
  for (const chunk of chunks) {
    if (length === 0) {
      const other = formats.find(({ begins }) => isBegunBy(chunk, begins));
      if (other !== undefined) throw new PackedFile(other.says);
      if (isBegunBy(chunk, GZIP)) packed = Buffer.allocUnsafe(size);
    }
    packed?.set(chunk.subarray(0, size - length), length);
    length += chunk.length;
    if (packed === null) yield chunk;
  }
  if (packed === null) return;
  const whole = gunzipped(packed);
  // The packed bytes are garbage while the unpacked ones are read.
  packed = null;
  for (let at = 0; at < whole.length; at += CHUNK) yield whole.subarray(at, at + CHUNK);
}

const isBegunBy = (chunk: Uint8Array, begins: readonly number[]): boolean =>
  begins.every((byte, at) => chunk[at] === byte);

function gunzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: UNPACKED_MAX, chunkSize: Math.max(CHUNK, chunkSizeOf(bytes)) });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new PackedFile(
      isTooLarge
        ? `is larger than ${UNPACKED_MAX / 2 ** 20} MiB once unpacked; unpack it with \`gunzip -k\`: a plain file may be of any size`
        : "is packed by gzip, but cut off or damaged",
    );
  }
}

/** The last four bytes say how long the text is. Given that much room, zlib fills one buffer and copies nothing. */
const chunkSizeOf = (bytes: Buffer): number =>
  bytes.length < 18 ? 0 : Math.min(UNPACKED_MAX, bytes.readUInt32LE(bytes.length - 4) + 1);
