// Suggests the name that was probably meant: the one with the smallest edit distance to the written one.

/** One edit is allowed per this many letters. */
const LETTERS_PER_EDIT = 3;
/** A prefix of at least this many letters counts as near, whatever the rest: `step` for `stepBps`. */
const BEGINNING_MIN = 3;

/** Undefined if no name is near. The first of equally near ones. Ignores case. */
export function nearest(written: string, names: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    const [from, to] = [written.toLowerCase(), name.toLowerCase()];
    const edits = editDistance(from, to);
    const most = Math.max(1, Math.floor(Math.max(from.length, to.length) / LETTERS_PER_EDIT));
    if (edits > most && !(from.length >= BEGINNING_MIN && to.startsWith(from))) continue;
    if (best === undefined || edits < best.edits) best = { name, edits };
  }
  return best?.name;
}

/** The end of an error message: `; did you mean x?` with the nearest name to each written one, or nothing. */
export function meant(written: readonly string[], names: readonly string[]): string {
  const found = new Set(written.flatMap((each) => nearest(each, names) ?? []));
  return found.size === 0 ? "" : `; did you mean ${[...found].join(" or ")}?`;
}

/**
 * An error message with the allowed names, and first, because the list may be long, the name probably meant. `more`: further allowed
 * values.
 */
export function withAllowed(fault: string, written: readonly string[], names: readonly string[], more = ""): string {
  const near = meant(written, names);
  return `${fault}${near === "" ? "; allowed" : `${near} Allowed`}: ${names.join(", ")}${more}`;
}

/** Number of insertions, deletions, replacements and swaps of neighbors (Damerau-Levenshtein, optimal string alignment). */
export function editDistance(from: string, to: string): number {
  let older: number[] = [];
  let before = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const edits = [at(before, column) + 1, at(now, column - 1) + 1, at(before, column - 1) + (isSame ? 0 : 1)];
      if (isSwapped) edits.push(at(older, column - 2) + 1);
      now.push(Math.min(...edits));
    }
    older = before;
    before = now;
  }
  return at(before, to.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
