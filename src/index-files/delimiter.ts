// What parts the cells of a file: line 1 tells.

/** A comma last: it also stands inside of names and numbers where another delimiter parts the cells. */
const delimiters = ["\t", ";", "|", ","] as const;

/** The one that stands most often in the first line of `text`, outside of quotes; of equally frequent ones the first of the list. */
export function delimiterOf(text: string): string {
  const bare = text.replaceAll(/"[^"]*"/g, "");
  const line = bare.slice(0, bare.search(/[\r\n]|$/));
  const counts = delimiters.map((delimiter) => line.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
}
