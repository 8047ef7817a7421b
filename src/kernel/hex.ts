// Bytes as lowercase hex text. `Buffer` does it in every runtime that is pinned; `Uint8Array.fromHex` is newer than some of them.

/** Bytes of `text` when it is exactly `length` bytes in lowercase hex, else undefined. */
export function bytesFromHex(text: string, length: number): Uint8Array | undefined {
  return text.length === 2 * length && /^[0-9a-f]*$/.test(text) ? bytesOfHex(text) : undefined;
}

/** Bytes of text that is known to be whole bytes in hex; for text from outside use `bytesFromHex`. A plain Uint8Array. */
export const bytesOfHex = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "hex"));

/** Lowercase, two characters a byte, no prefix. */
export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
