// Bytes as lowercase hex text.

/** Bytes of `text` when it is exactly `length` bytes in lowercase hex, else undefined. */
export function bytesFromHex(text: string, length: number): Uint8Array | undefined {
  return text.length === 2 * length && /^[0-9a-f]*$/.test(text) ? Uint8Array.fromHex(text) : undefined;
}

/** Lowercase, two characters a byte, no prefix. */
export const hexOf = (bytes: Uint8Array): string => bytes.toHex();
