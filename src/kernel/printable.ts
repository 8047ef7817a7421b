// Makes foreign text safe for a terminal: whatever could move the cursor, start a line, reverse the reading direction, or hide is written
// as a JSON escape of its code. Inside JSON that is the same text.

/** Controls (C0, DEL, C1), formats (bidi, zero width, tags), line and paragraph separators, lone surrogates, and invisible characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Longer lines are not readable. */
const LENGTH_MAX = 4096;

/** One line of at most `lengthMax` UTF-16 units; a cut line ends in "…". */
export function printable(text: string, lengthMax = LENGTH_MAX): string {
  const shown = text.slice(0, lengthMax + 1).replace(HIDDEN, escaped);
  return shown.length > lengthMax ? `${shown.slice(0, lengthMax - 1)}…` : shown;
}

/** Like `printable`, but keeps line breaks and tabs, at any length. JSON stays the same JSON. */
export const printableLines = (text: string): string =>
  text.replace(HIDDEN, (hidden) => (hidden === "\n" || hidden === "\t" ? hidden : escaped(hidden)));

const escaped = (hidden: string): string =>
  hidden
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
