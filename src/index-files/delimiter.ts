// The delimiter of a CSV file, found in its first line.

/** A comma last: it also stands inside of names and numbers where another delimiter parts the cells. */
const delimiters = ["\t", ";", "|", ","] as const;

/** The one that stands most often in the first line of `text` that is not blank, outside of quotes; of equally frequent ones the first of the list. */
export function delimiterOf(text: string): string {
  const bare = text.replaceAll(/"[^"]*"/g, "");
  const [line = ""] = /^.*\S.*$/m.exec(bare) ?? [];
  const counts = delimiters.map((delimiter) => line.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
}
