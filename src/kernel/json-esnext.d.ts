// Declares features of the runtime's JSON that TypeScript's library does not declare yet: raw number text when writing, source text when
// reading. Standard ("JSON.parse source text access", ECMA-262); delete this file once `lib: esnext` has them.

/** Opaque: JSON.stringify writes the text from which it was made, unchanged. */
interface RawJson {
  readonly rawJSON: string;
}

interface JSON {
  /** Makes a value that is written as exactly `text`. Throws SyntaxError unless `text` is one JSON primitive. */
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  /** `context.source`: original text of a primitive in the document; absent for objects and arrays. */
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}
