// When the next print is expected, whatever the publications before it did.

import { describe, expect, test } from "vitest";
import { guardPhase } from "../../../../src/bot/strategy/print-guard.ts";
import {
  isAroundPrint,
  observeFrame,
  observePublication,
  type PrintSchedule,
  withPast,
} from "../../../../src/bot/strategy/print-schedule.ts";
import type { PrintTimes } from "../../../../src/bot/strategy/print-times.ts";

import { createPrng } from "../../../../src/kernel/prng.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const times = { windowMs: 30 * MINUTE_MS, pullMs: 2 * MINUTE_MS, settleMs: 3000, recoveryMs: 5 * MINUTE_MS };

type Printed = { readonly publishedMs: number; readonly validUntilMs: number };

const read = (state: PrintSchedule | null, { publishedMs, validUntilMs }: Printed, given: PrintTimes | null = null) =>
  observePublication(state, { publishedMs, validUntilSec: validUntilMs / 1000 }, given);

/** A print as a bot that runs sees it: the frame, then reads. */
function print(state: PrintSchedule | null, printed: Printed, given: PrintTimes | null = null): PrintSchedule {
  const heard = state && observeFrame(state, printed.validUntilMs / 1000, given);
  return read(read(heard, printed, given), printed, given);
}

/** Whose validity, a day and a minute, is counted from the publication. */
const countedFrom = (publishedMs: number): Printed => ({ publishedMs, validUntilMs: publishedMs + DAY_MS + MINUTE_MS });

const after = (publishedMs: readonly number[]): PrintSchedule | null =>
  publishedMs.reduce<PrintSchedule | null>((state, at) => print(state, countedFrom(at)), null);
const nextMs = (publishedMs: readonly number[]): number => after(publishedMs)?.dueMs ?? Number.NaN;

describe("an index whose validity is counted from each publication", () => {
  test("of one publication its validity tells when the next is due at the latest", () => {
    expect(nextMs([0])).toBe(DAY_MS + MINUTE_MS);
  });

  test("two publications have a rhythm, and the same one read again is one", () => {
    expect(nextMs([0, DAY_MS])).toBe(2 * DAY_MS);
    expect(nextMs([0, DAY_MS, DAY_MS, DAY_MS])).toBe(2 * DAY_MS);
  });

  test("prints that nobody saw between two are steps of the rhythm", () => {
    expect(nextMs([0, DAY_MS, 2 * DAY_MS, 5 * DAY_MS])).toBe(6 * DAY_MS);
  });

  test("prints that come late now and then do not change the rhythm", () => {
    expect(nextMs([0, 1, 2, 3.25, 4, 5].map((day) => day * DAY_MS))).toBe(6 * DAY_MS);
  });

  test("a correction in between is not in the rhythm: the next print comes when it would have come", () => {
    expect(nextMs([0, DAY_MS, 2 * DAY_MS, 2.1 * DAY_MS])).toBe(3 * DAY_MS);
    expect(nextMs([0, DAY_MS, 2 * DAY_MS, 2.1 * DAY_MS, 3 * DAY_MS])).toBe(4 * DAY_MS);
  });

  test("a publication from the future is forgotten with the next true one", () => {
    expect(nextMs([0, DAY_MS, 2 * DAY_MS, 3 * DAY_MS, 400 * DAY_MS, 4 * DAY_MS])).toBe(5 * DAY_MS);
  });

  test("one that comes up to 45 minutes early or late is hardly ever met with open quotes, and mostly with pulled ones", () => {
    const draw = createPrng(7n);
    const met = { open: 0, window: 0, pulled: 0, settling: 0 };
    const resting: boolean[] = [];
    let schedule: PrintSchedule | null = null;
    for (let day = 0; day < 400; day += 1) {
      const atMs = Math.round(day * DAY_MS + (2 * draw.float() - 1) * 45 * MINUTE_MS);
      if (schedule !== null && day > 10) {
        const { dueMs, earlyMs } = schedule;
        met[guardPhase({ toPrintMs: dueMs - earlyMs - atMs, sincePrintMs: DAY_MS, isBookNew: true }, times)] += 1;
        resting.push(isAroundPrint(schedule, atMs));
        expect(earlyMs).toBeLessThan(100 * MINUTE_MS);
      }
      schedule = print(schedule, countedFrom(atMs));
    }
    const prints = resting.length;
    expect(met.open / prints).toBeLessThan(0.03);
    expect(met.pulled / prints).toBeGreaterThan(0.8);
    expect(resting.filter(Boolean).length / prints).toBeGreaterThan(0.7);
  });

  test("one that comes on time is expected no earlier; after a late one the next may come at its usual time", () => {
    const early = (days: readonly number[]) => after(days.map((day) => day * DAY_MS))?.earlyMs;
    expect(early([0, 1, 2, 3, 4])).toBe(0);
    expect(early([0, 1, 2, 3, 4.1])).toBeGreaterThan(0.05 * DAY_MS);
    expect(early([0, 1, 2, 3, 4.1])).toBeLessThanOrEqual(0.1 * DAY_MS);
  });

  test("one that lasts over several prints names none of them: they are due by how they came before it ended", () => {
    const lasting = (day: number): Printed => ({ publishedMs: day * DAY_MS, validUntilMs: (day + 3) * DAY_MS });
    const schedules = [0, 1, 2, 3].map((last) =>
      Array.from({ length: last + 1 }, (_, day) => lasting(day)).reduce<PrintSchedule | null>(
        (a, b) => print(a, b),
        null,
      ),
    );
    expect(schedules.slice(1).map((each) => each?.dueMs)).toEqual([2, 3, 4].map((day) => day * DAY_MS));
  });

  test("one whose words never agree goes by the intervals between publications, a print before that was agreed on forgotten", () => {
    let state = print(null, countedFrom(0));
    for (let day = 1; day <= 3; day += 1)
      for (let second = 0; second < 3; second += 1) {
        const publishedMs = day * DAY_MS;
        state = read(state, { publishedMs, validUntilMs: publishedMs + second * 1000 + 2 * HOUR_MS });
      }
    expect(state.dueMs).toBe(4 * DAY_MS);
  });
});

describe("one word of an end of validity never moves what is due", () => {
  const days = [0, 1, 2, 3].map((day) => day * DAY_MS);
  const before = days.reduce<PrintSchedule | null>((state, at) => print(state, countedFrom(at)), null) as PrintSchedule;
  const lie = { publishedMs: 3 * DAY_MS, validUntilMs: 9 * DAY_MS };

  test("neither a frame's nor a read's, of the same print or of a newer one, nor between true ones", () => {
    const newer = { publishedMs: 3.4 * DAY_MS, validUntilMs: 9 * DAY_MS };
    expect(observeFrame(before, lie.validUntilMs / 1000, null).dueMs).toBe(4 * DAY_MS);
    expect(read(before, lie).dueMs).toBe(4 * DAY_MS);
    expect(read(before, newer).dueMs).toBe(4 * DAY_MS);
    expect(read(before, { ...lie, publishedMs: 3.9 * DAY_MS }).dueMs).toBe(4 * DAY_MS);
    const truth = countedFrom(3 * DAY_MS);
    expect(read(read(read(before, lie), truth), lie).dueMs).toBe(4 * DAY_MS);
  });

  test("two words do: a frame and a read in either order, or two reads", () => {
    const untilSec = lie.validUntilMs / 1000;
    for (const state of [
      read(observeFrame(before, untilSec, null), lie),
      observeFrame(read(before, lie), untilSec, null),
      read(read(before, lie), lie),
    ])
      expect(state.dueMs).toBe(9 * DAY_MS - MINUTE_MS);
  });
});

/** 09:05 in New York, whose clocks change on 8 March and 1 November 2026: 14:05 of UTC in winter, 13:05 in summer. */
function printOf(day: number): number {
  const isSummer = day >= Date.UTC(2026, 2, 8) / DAY_MS && day < Date.UTC(2026, 10, 1) / DAY_MS;
  return day * DAY_MS + (isSummer ? 13 : 14) * HOUR_MS + 5 * MINUTE_MS;
}
const newYork: PrintTimes = { timeZone: "America/New_York", at: "09:05", skip: [] };
const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;
/** The venue's own: valid until the next one. */
const named = (day: number, next = day + 1): Printed => ({ publishedMs: printOf(day), validUntilMs: printOf(next) });

/** Minutes of the days whose phase, or rest of the estimates, is not that of an index which prints at these times. */
function wrongMinutes(
  states: (atMs: number) => PrintSchedule,
  fromDay: number,
  toDay: number,
  printMs: readonly number[],
): number {
  let wrong = 0;
  for (let atMs = fromDay * DAY_MS; atMs < toDay * DAY_MS; atMs += MINUTE_MS) {
    const schedule = states(atMs);
    const nextMs = printMs.find((each) => each > atMs) ?? Number.NaN;
    const lastMs = printMs.findLast((each) => each <= atMs) ?? Number.NaN;
    const toPrintMs = schedule.dueMs - schedule.earlyMs - atMs;
    const phase = guardPhase({ toPrintMs, sincePrintMs: atMs - lastMs, isBookNew: true }, times);
    const isNear = nextMs - atMs <= times.windowMs;
    const isPulled = nextMs - atMs <= times.pullMs;
    const right = atMs === lastMs ? "settling" : isPulled ? "pulled" : isNear ? "window" : "open";
    const rests = isNear || atMs - lastMs < 5 * MINUTE_MS;
    if (phase !== right || isAroundPrint(schedule, atMs) !== rests) wrong += 1;
  }
  return wrong;
}

/** What a bot knows at each minute that saw these prints come. */
function seen(prints: readonly Printed[], given: PrintTimes | null): (atMs: number) => PrintSchedule {
  let state: PrintSchedule | null = null;
  const known = prints.map((each) => {
    state = print(state, each, given);
    return { fromMs: each.publishedMs, state };
  });
  return (atMs) => known.findLast(({ fromMs }) => fromMs <= atMs)?.state as PrintSchedule;
}

const daysFrom = (date: string, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => dayOf(date) + index);

describe.each([
  ["validUntil", null],
  ["printSchedule", newYork],
] as const)("no wrong minute of the guard, with %s", (_, given) => {
  test.each([
    ["2026-03-08", 20],
    ["2026-03-08", 2],
    ["2026-11-01", 20],
    ["2026-11-01", 2],
  ])("a month around the change of the clocks on %s, seen since %d days before", (date, before) => {
    const first = dayOf(date);
    const days = Array.from({ length: before + 30 }, (_, index) => first - before + index);
    const states = seen(
      days.map((day) => named(day)),
      given,
    );
    const fromDay = first - Math.min(before, 3) + 1;
    expect(wrongMinutes(states, fromDay, first + 28, days.map(printOf))).toBe(0);
  });

  test("after a print that came three hours late, the second print of a day, and a day that was skipped", () => {
    const days = daysFrom("2026-06-01", 20);
    const [late, corrected, skipped] = [days[10] as number, days[13] as number, days[16] as number];
    const prints = days
      .filter((day) => day !== skipped)
      .flatMap((day): Printed[] => {
        if (day === late) return [{ ...named(day), publishedMs: printOf(day) + 3 * HOUR_MS }];
        if (day === corrected) return [named(day), { ...named(day), publishedMs: printOf(day) + 5 * HOUR_MS }];
        return [named(day)];
      });
    const states = seen(prints, given);
    for (const day of [late, corrected, skipped].flatMap((each) => [each + 1, each + 2])) {
      const { dueMs, earlyMs } = states(printOf(day) - HOUR_MS);
      if (day !== skipped + 1) expect([day, dueMs, earlyMs]).toEqual([day, printOf(day), 0]);
    }
  });
});

test("a print that comes up to 90 seconds early or late brings at most 90 s of needless guard a day, and no unguarded one", () => {
  const draw = createPrng(11n);
  let state: PrintSchedule | null = null;
  for (const day of daysFrom("2026-02-01", 60)) {
    const publishedMs = printOf(day) + Math.round((2 * draw.float() - 1) * 90_000);
    if (state !== null && day > dayOf("2026-02-05")) {
      const guardedMs = publishedMs - (state.dueMs - state.earlyMs - times.windowMs);
      expect(Math.abs(guardedMs - times.windowMs)).toBeLessThanOrEqual(4 * 90_000);
      expect(guardedMs).toBeGreaterThan(times.pullMs);
    }
    state = print(state, { ...named(day), publishedMs });
  }
});

describe("what validUntil names holds", () => {
  const due = (prints: readonly Printed[]) => seen(prints, null)(prints.at(-1)?.publishedMs ?? 0).dueMs;
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = daysFrom("2026-06-01", 5);

  test("where the first print that was seen to come was late", () => {
    const late = { ...named(second), publishedMs: printOf(second) + 3 * HOUR_MS };
    expect(due([named(first), late])).toBe(printOf(third));
  });

  test("where prints came that nobody saw, again and again", () => {
    expect(due([named(first), named(third), named(fifth)])).toBe(printOf(fifth) + DAY_MS);
  });

  test("beside a history that says how often prints come, unless it ends nowhere near one", () => {
    const past = [20_000, 20_001, 20_002].map((day) => ({ timeSec: day * 86_400 }));
    const dueBeside = (until: number) => withPast(print(null, named(first, until)), past, null)?.dueMs;
    expect(dueBeside(second)).toBe(printOf(second));
    expect(dueBeside(fourth)).toBe(printOf(second));
  });
});

test("a day that validUntil leaves out is not waited for", () => {
  const days = daysFrom("2026-12-20", 5);
  const prints = days.map((day) => named(day, day === dayOf("2026-12-24") ? day + 2 : day + 1));
  expect(seen(prints, null)(prints.at(-1)?.publishedMs ?? 0).dueMs).toBe(printOf(dayOf("2026-12-26")));
});

describe("printSchedule", () => {
  const dueAfter = (publishedMs: number, given: PrintTimes): string =>
    new Date(print(null, countedFrom(publishedMs), given).dueMs).toISOString();

  test("leaves out the days that it skips, by the date there", () => {
    const given = { ...newYork, skip: ["2026-12-25", "2026-12-26"] };
    expect(dueAfter(printOf(dayOf("2026-12-24")), given)).toBe("2026-12-27T14:05:00.000Z");
    const tokyo = { timeZone: "Asia/Tokyo", at: "00:30", skip: ["2026-06-02"] };
    expect(dueAfter(Date.parse("2026-05-31T15:30:00Z"), tokyo)).toBe("2026-06-02T15:30:00.000Z");
  });

  test("a print up to five minutes before its time is that of the day, a sooner one leaves it due", () => {
    const at = printOf(dayOf("2026-06-02"));
    expect(dueAfter(at - 4 * MINUTE_MS, newYork)).toBe("2026-06-03T13:05:00.000Z");
    expect(dueAfter(at - 6 * MINUTE_MS, newYork)).toBe("2026-06-02T13:05:00.000Z");
  });

  test("throws at no time of a publication, however wrong", () => {
    for (const publishedMs of [-1e18, 0, 1e18]) expect(dueAfter(publishedMs, newYork)).toMatch(/05:00.000Z$/);
  });

  test("counts whatever validUntil says, and no longer once it is taken away", () => {
    const day = dayOf("2026-06-02");
    const state = print(null, { publishedMs: printOf(day), validUntilMs: printOf(day) + 30 * HOUR_MS }, newYork);
    expect(state.dueMs).toBe(printOf(day + 1));
    expect(read(state, { publishedMs: printOf(day), validUntilMs: printOf(day) + 30 * HOUR_MS }).dueMs).toBe(
      printOf(day) + 30 * HOUR_MS,
    );
  });
});
