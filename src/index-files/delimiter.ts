// The delimiter of a CSV file, found in its first line.

/** A comma last: it also occurs in names and numbers where another delimiter separates the cells. */
const delimiters = ["\t", ";", "|", ","] as const;

/** Returns the most frequent one in `text`'s first line that is not blank, outside quotes; of equal ones the first of the list. */
export function delimiterOf(text: string): string {
  const bare = text.replaceAll(/"[^"]*"/g, "");
  const [line = ""] = /^.*\S.*$/m.exec(bare) ?? [];
  const counts = delimiters.map((delimiter) => line.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
}
