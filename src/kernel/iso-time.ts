// Dates and times of ISO 8601, as a person writes them.

const TIME = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** What `isoTimeMs` takes, for an error. */
export const ISO_TIME = "a date or a time of ISO 8601, such as 2026-11-26 or 2026-11-26T15:04:05Z";

/** Unix ms. A time without a zone is in UTC; a date is the start of its day. Undefined: it is neither. */
export function isoTimeMs(written: string): number | undefined {
  const [, date = "", time = "", , , zone] = TIME.exec(written) ?? [];
  const atMs = Date.parse(`${date}${time === "" ? "T00:00" : time}${zone === undefined ? "Z" : ""}`);
  const isDate = new Date(`${date}T00:00Z`).toJSON()?.startsWith(date) === true;
  return date === "" || !isDate || Number.isNaN(atMs) ? undefined : atMs;
}
