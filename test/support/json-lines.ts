// What commands print with --json: an object a line.

/** The objects, in their order; none where nothing was printed. */
export const jsonLines = <T>(text: string): readonly T[] =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as T]));
