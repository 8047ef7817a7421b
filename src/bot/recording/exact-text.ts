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
/** Texts that JSON writes as they are. */
const PLAIN = /^[\w .:;,/+()@=-]*$/;
const KEYS = /^\w*$/;

/** Plain data alone: of maps and sets nothing is written. */
export function exactText(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return `"#${value}"`;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
        ? `${value}`
        : `"#~${Object.is(value, -0) ? "-0" : value}"`;
    case "string":
      if (PLAIN.test(value)) return `"${value}"`;
      return JSON.stringify(value.startsWith(MARK) ? MARK + value : value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? listText(value) : objectText(value);
    default:
      return "null";
  }
}

function listText(values: readonly unknown[]): string {
  let text = "[";
  for (let at = 0; at < values.length; at += 1) text += at === 0 ? exactText(values[at]) : `,${exactText(values[at])}`;
  return `${text}]`;
}

function objectText(value: object): string {
  let text = "";
  for (const key of Object.keys(value)) {
    const of = (value as Readonly<Record<string, unknown>>)[key];
    if (of === undefined || typeof of === "function") continue;
    text += `${text === "" ? "{" : ","}${KEYS.test(key) ? `"${key}"` : JSON.stringify(key)}:${exactText(of)}`;
  }
  return text === "" ? "{}" : `${text}}`;
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
