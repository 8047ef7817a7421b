// Bytes as text, whatever encoding a program chose: UTF-8, or UTF-16 as spreadsheets write it, with or without a byte order mark.

/** Text of `chunks`, piece by piece, without its byte order mark. A byte that is no UTF-8 becomes U+FFFD. */
export function* decoded(chunks: Iterable<Uint8Array>): Generator<string, void> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    yield decoder.decode(chunk, { stream: true });
  }
  if (decoder !== undefined) yield decoder.decode();
}

/** By the byte order mark; without one, two-byte text has a zero byte in one half of its first letter. */
function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return "utf-16be";
  return "utf-8";
}
