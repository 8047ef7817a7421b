// Values as one line of JSON, for comparisons and people: integers of any size, every number and every text; two values have the same text
// only if they are equal. Functions and undefined are left out.

/**
 * First character of each text that encodes something else: an integer (`#12`), a number that JSON lacks (`#~NaN`), a text with this first
 * character (`##`).
 */
const MARK = "#";

/** Only for plain data: maps and sets are written as empty. */
export const exactText = (value: unknown): string => JSON.stringify(value, marked) ?? "null";

/** Whether two values have the same text, without writing it. */
export function isSameData(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((each, at) => isSameData(each, other[at]));
  if (Array.isArray(other)) return false;
  const [fields, others] = [one, other] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  for (const name in fields) if (!isSameData(fields[name], others[name])) return false;
  for (const name in others) if (others[name] !== undefined && fields[name] === undefined) return false;
  return true;
}

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
