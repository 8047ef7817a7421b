// Scans JSON text without building values. It checks strings, brackets and numbers and leaves the grammar to JSON.parse: for malformed text
// the result means nothing, but it never throws.

const QUOTE = 34;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const LETTER_E = 101;
const CASE_BIT = 32;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

export type JsonOutline = {
  /** Deepest nesting of objects and arrays. */
  readonly depth: number;
  /** Members of all objects as written; a duplicate key counts twice. */
  readonly memberCount: number;
  /** True if JSON.parse gives every number exactly or as the nearest double: none is longer than 15 characters or has an exponent. */
  readonly plainNumbers: boolean;
  /** True if every number is plain digits, without fraction or exponent. */
  readonly wholeNumbers: boolean;
};

/** Scans the text once. */
export function outlineOf(text: string): JsonOutline {
  let depth = 0;
  let deepest = 0;
  let memberCount = 0;
  let plainNumbers = true;
  let wholeNumbers = true;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = closingQuote(text, at);
    else if (isDigit(unit)) {
      const start = at;
      at = lastDigit(text, at);
      if (text.charCodeAt(at + 1) === POINT) {
        wholeNumbers = false;
        at = lastDigit(text, at + 1);
      }
      if (at - start >= 15) plainNumbers = false;
    } else if (unit === COLON) memberCount += 1;
    else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) depth -= 1;
    else if ((unit | CASE_BIT) === LETTER_E && isDigit(text.charCodeAt(at - 1))) {
      plainNumbers = false;
      wholeNumbers = false;
    }
  }
  return { depth: deepest, memberCount, plainNumbers, wholeNumbers };
}

/**
 * The exact source text of the value of a top-level member, unchanged. Undefined if the member is missing or the text is not an object. The
 * text must have passed `parseJson`, which also ensures that the member is unique.
 */
export function rawMember(text: string, key: string): string | undefined {
  let at = skipBlank(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) return undefined;
  at = skipBlank(text, at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = closingQuote(text, at) + 1;
    const found = keyOf(text.slice(at, keyEnd)) === key;
    const valueStart = skipBlank(text, skipBlank(text, keyEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    if (found) return text.slice(valueStart, valueEnd);
    at = skipBlank(text, skipBlank(text, valueEnd) + 1);
  }
  return undefined;
}

const keyOf = (quoted: string): unknown => (quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1));

/** Index after the value that starts at `start`. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = closingQuote(text, at);
    else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) depth += 1;
    else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth === 0 && (unit === COMMA || isBlank(unit))) return at;
    else continue;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** Index of the quote that ends the string opened at `open`, or the end of the text. */
function closingQuote(text: string, open: number): number {
  let at = open + 1;
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at += 1;
  }
  return at;
}

/** Index of the last digit in the run after `start`, or `start`. */
function lastDigit(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at + 1))) at += 1;
  return at;
}

function skipBlank(text: string, start: number): number {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** The four blank characters of JSON. */
const isBlank = (unit: number): boolean => unit === 32 || unit === 10 || unit === 13 || unit === 9;
const isDigit = (unit: number): boolean => unit >= ZERO && unit <= NINE;
