// Bytes as lowercase hex text. Uses `Buffer`, which every pinned runtime has; `Uint8Array.fromHex` is too new for some.

/** The bytes of `text` if it is exactly `length` bytes in lowercase hex, else undefined. */
export function bytesFromHex(text: string, length: number): Uint8Array | undefined {
  return text.length === 2 * length && /^[0-9a-f]*$/.test(text) ? bytesOfHex(text) : undefined;
}

/** The bytes of text known to be valid hex; use `bytesFromHex` for text from outside. A plain Uint8Array. */
export const bytesOfHex = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "hex"));

/** Lowercase, two characters per byte, no prefix. */
export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
