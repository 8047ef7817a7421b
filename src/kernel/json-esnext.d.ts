// What the runtime's JSON can do and TypeScript's library does not declare yet: raw number text out, source text in.
// Standard ("JSON.parse source text access", ECMA-262); remove this file once `lib: esnext` has it.

/** Opaque: JSON.stringify writes the text it was made of, character by character. */
interface RawJson {
  readonly rawJSON: string;
}

interface JSON {
  /** Makes a value that stringifies as exactly `text`. Throws SyntaxError unless `text` is one JSON primitive. */
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  /** `context.source` is the text of a primitive as it stood in the document; absent for objects and arrays. */
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}
