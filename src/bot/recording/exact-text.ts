// Values as one line of JSON that reads back exactly: integers of any size, every number, every text. Functions and what is undefined are
// left out.

/** Begins each text that stands for something else: an integer (`#12`), a number that JSON lacks (`#~NaN`), a text with such a beginning (`##`). */
const MARK = "#";
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ["#~NaN", Number.NaN],
  ["#~Infinity", Number.POSITIVE_INFINITY],
  ["#~-Infinity", Number.NEGATIVE_INFINITY],
  ["#~-0", -0],
]);

/** Plain data alone: of maps and sets nothing is written. */
export const exactText = (value: unknown): string => JSON.stringify(value, marked) ?? "null";

function marked(_key: string, value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return `${MARK}${value}`;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : `${MARK}~${Object.is(value, -0) ? "-0" : value}`;
    case "string":
      return value.startsWith(MARK) ? MARK + value : value;
    default:
      return value;
  }
}

/** What `exactText` wrote. Throws SyntaxError for anything else. */
export function readExact(text: string): unknown {
  return revived(JSON.parse(text));
}

function revived(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith(MARK) ? unmarked(value) : value;
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const of = fields[key];
    if (typeof of === "string" ? of.startsWith(MARK) : typeof of === "object") fields[key] = revived(of);
  }
  return value;
}

function unmarked(text: string): unknown {
  if (text.startsWith("##")) return text.slice(1);
  return NUMBERS.get(text) ?? BigInt(text.slice(1));
}
