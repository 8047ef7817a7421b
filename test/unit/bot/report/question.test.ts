// A question to the ledger as a query: what each parameter may be.

import { expect, test } from "vitest";
import { readQuestion } from "../../../../src/bot/report/question.ts";

const read = (query: string) => readQuestion("trades", new URLSearchParams(query));

test("without parameters it asks for the newest rows of everything", () => {
  expect(read("")).toEqual({ kind: "trades", by: "day", limit: 1000 });
});

test("each parameter narrows it; times are of ISO 8601, in UTC", () => {
  expect(read("from=2026-11-26&to=2026-11-27T01:00&market=0&limit=1&by=week")).toEqual({
    kind: "trades",
    from: Date.UTC(2026, 10, 26),
    to: Date.UTC(2026, 10, 27, 1),
    market: 0,
    limit: 1,
    by: "week",
  });
});

test.each([
  ["from=", "ISO 8601"],
  ["to=2026-13-01", "ISO 8601"],
  ["market=65536", "market id"],
  ["market=-1", "market id"],
  ["market=", "market id"],
  ["limit=0", "1 to 1000"],
  ["limit=1001", "1 to 1000"],
  ["limit=1e2", "1 to 1000"],
  ["by=hour", "day, week, month"],
  ["file=/etc/passwd", "unknown parameter file"],
])("%s is refused", (query, why) => {
  expect(read(query)).toContain(why);
});
