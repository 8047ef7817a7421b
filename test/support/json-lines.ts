// The output of commands with --json: one object per line.

/** The objects, in their order; none where nothing was printed. */
export const jsonLines = <T>(text: string): readonly T[] =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as T]));
