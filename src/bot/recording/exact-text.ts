// Values as one line of JSON, for comparisons and people: integers of any size, every number and every text; two values have one text only
// where they are the same. Functions and what is undefined are left out.

/** Begins each text that stands for something else: an integer (`#12`), a number that JSON lacks (`#~NaN`), a text with such a beginning (`##`). */
const MARK = "#";

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
