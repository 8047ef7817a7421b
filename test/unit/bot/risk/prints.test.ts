// A print is one observation, however often it is read: what it takes to believe one that leaps.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atTrustedPrint, confirmPrint, followPrint, noPrints, type Prints } from "../../../../src/bot/risk/prints.ts";
import { absent, lastKnown, type View } from "../../../../src/domain/view.ts";
import { chainTimeMs, healthyView, now, old, oracle, usd } from "./healthy.ts";

const limits = { maxPrintMoveBps: 200 };
const START_MS = chainTimeMs - 1_000_000;
const EVERY_MS = 10_000;

type Seen = { readonly at: number; readonly sec: number; readonly deviationBps?: number };

/** A read of a publication `sec` seconds after the start. */
const read = ({ at, sec, deviationBps = 20 }: Seen): View => ({
  ...healthyView,
  oracle: now({ ...oracle, price: usd(at), lastUpdateTimestampMs: START_MS + 1000 * sec }),
  chain: now({ height: 100, timeMs: START_MS + 1000 * sec + 300, offsetMs: 20, blockMs: 500 }),
  signals: { ...healthyView.signals, printDeviationBps: deviationBps },
});
/** A frame: it tells the price and no time, so that of the last read stays. */
const frame = (at: number, sec: number, readSec: number): View => ({
  ...read({ at, sec }),
  oracle: now({ ...oracle, price: usd(at), lastUpdateTimestampMs: START_MS + 1000 * readSec }),
});
const follow = (prints: Prints, ...views: readonly View[]) =>
  views.reduce((state, view) => followPrint(state, view, limits), prints);

/** Prints every ten seconds, the last of them 200 USD at 50 s. */
const calm = follow(noPrints, ...[0, 10, 20, 30, 40, 50].map((sec) => read({ at: 200, sec })));
const leapt = follow(calm, read({ at: 300, sec: 60 }));
const trusted = ({ trusted }: Prints) => Number(trusted?.price ?? 0n) / 1e8;
const isUnconfirmed = ({ doubtful }: Prints) => doubtful !== null;

describe("what is unconfirmed", () => {
  test("nothing of the first print, nor of small moves however far they go", () => {
    const steps = Array.from({ length: 30 }, (_, step) => read({ at: 200 + 3 * step, sec: 60 + 10 * step }));
    expect(isUnconfirmed(follow(calm, ...steps))).toBe(false);
    expect(trusted(follow(calm, ...steps))).toBe(287);
  });

  test.each([
    ["the configured limit", 100, 204, 204.01],
    ["8 print deviations, where that is less", 10, 201.6, 201.61],
  ])("a cent more than %s, and nothing less", (_, deviationBps, within, beyond) => {
    expect(isUnconfirmed(follow(calm, read({ at: within, sec: 60, deviationBps })))).toBe(false);
    expect(isUnconfirmed(follow(calm, read({ at: beyond, sec: 60, deviationBps })))).toBe(true);
    expect(isUnconfirmed(follow(calm, read({ at: 400 - beyond - 0.01, sec: 60, deviationBps })))).toBe(true);
  });

  test("a leap that a frame tells, before any read of it", () => {
    expect(isUnconfirmed(follow(calm, frame(300, 60, 50)))).toBe(true);
  });

  test("is written down in whole numbers, though the chain's clock is an estimate", () => {
    const heard = {
      ...frame(300, 60, 50),
      chain: now({ height: 1, timeMs: START_MS + 60_000.25, offsetMs: 0, blockMs: 500 }),
    };
    expect(follow(calm, heard).doubtful?.publishedMs).toBe(START_MS + 60_001);
    const aged = { ...heard, chain: old({ height: 1, timeMs: START_MS + 55_000, offsetMs: 0, blockMs: 500 }) };
    expect(follow(calm, aged).doubtful?.publishedMs).toBe(START_MS + 55_000);
  });

  test("is not taken before chain time is known, nor where it is dated ahead of that: every later one would seem older", () => {
    const next = read({ at: 200.1, sec: 60 });
    expect(follow(calm, { ...next, chain: absent })).toBe(calm);
    const implausible = { ...oracle, price: usd(200.1), lastUpdateTimestampMs: 2_300_000_000_000 };
    const misled = follow(calm, { ...next, oracle: old(implausible) });
    expect(misled).toBe(calm);
    expect(trusted(follow(misled, next))).toBe(200.1);
    const late = (ms: number) =>
      follow(calm, { ...next, chain: now({ height: 1, timeMs: START_MS + 60_000 - ms, offsetMs: 20, blockMs: 500 }) });
    expect([trusted(late(60_000)), trusted(late(60_001))]).toEqual([200.1, 200]);
  });

  test("is as old as chain time says, where that is known: a wall clock ahead does not keep the next print from refuting it", () => {
    const ahead = {
      ...frame(300, 60, 50),
      chain: now({ height: 1, timeMs: START_MS + 60_000, offsetMs: -500, blockMs: 500 }),
    };
    const heard = follow(calm, ahead);
    expect(heard.doubtful?.publishedMs).toBe(START_MS + 60_000);
    expect(isUnconfirmed(follow(heard, read({ at: 200.1, sec: 60.2 })))).toBe(false);
  });

  test("nothing that an older read tells, and nothing while no print is known", () => {
    expect(follow(calm, read({ at: 300, sec: 49 }))).toMatchObject({
      ...calm,
      against: { publishedMs: START_MS + 49_000 },
    });
    expect(follow(calm, { ...healthyView, oracle: absent })).toBe(calm);
  });
});

describe("what confirms it", () => {
  test("a second publication that agrees, half of the usual interval later", () => {
    const confirmed = follow(leapt, read({ at: 300.5, sec: 65 }));
    expect(isUnconfirmed(confirmed)).toBe(false);
    expect(trusted(confirmed)).toBe(300.5);
    expect(isUnconfirmed(follow(leapt, read({ at: 300.5, sec: 64.999 })))).toBe(true);
  });

  test("not the same print, read again or renewed, however long it stands", () => {
    const again = {
      ...read({ at: 300, sec: 60 }),
      chain: now({ height: 9e6, timeMs: 9e12, offsetMs: 0, blockMs: 500 }),
    };
    const renewed = {
      ...again,
      oracle: now({ ...oracle, price: usd(300), lastUpdateTimestampMs: START_MS + 60_000, validUntilSec: 9e9 }),
    };
    expect(follow(leapt, again, renewed, again)).toBe(leapt);
  });

  test("not the read of a print that a frame told of, whatever the clock made of its time", () => {
    const early = { ...frame(300, 51, 50), chain: absent };
    const heard = follow(calm, early, read({ at: 300, sec: 60 }));
    expect(isUnconfirmed(heard)).toBe(true);
    expect(isUnconfirmed(follow(heard, read({ at: 300, sec: 64 })))).toBe(true);
    expect(isUnconfirmed(follow(heard, read({ at: 300, sec: 65 })))).toBe(false);
  });

  test("not a frame alone: nobody knows when its print was published", () => {
    expect(follow(leapt, frame(300.5, 70, 60))).toBe(leapt);
  });

  test("not one beyond the nowcast's band around the first: it is the next to be confirmed", () => {
    const other = follow(leapt, read({ at: 304, sec: 70 }));
    expect(isUnconfirmed(other)).toBe(true);
    expect(trusted(other)).toBe(200);
    expect(trusted(follow(other, read({ at: 304.1, sec: 80 })))).toBe(304.1);
  });

  test("prints out of turn do not shorten the usual interval", () => {
    const hurried = follow(calm, read({ at: 200, sec: 51 }), read({ at: 200, sec: 52 }), read({ at: 300, sec: 53 }));
    expect(isUnconfirmed(follow(hurried, read({ at: 300, sec: 57.9 })))).toBe(true);
    expect(isUnconfirmed(follow(hurried, read({ at: 300, sec: 58 })))).toBe(false);
  });

  test("frames, whose prints nobody has dated, do not shorten it either", () => {
    const frames = Array.from({ length: 9 }, (_, nth) => frame(200 + (nth + 1) / 100, 51, 50));
    const heard = follow(calm, ...frames, read({ at: 300, sec: 60 }));
    expect(isUnconfirmed(follow(heard, read({ at: 300, sec: 64.9 })))).toBe(true);
    expect(isUnconfirmed(follow(heard, read({ at: 300, sec: 65 })))).toBe(false);
  });

  test("the usual interval is the median, whatever the first one was and in whatever order they came", () => {
    const printedAt = (...secs: readonly number[]) => follow(noPrints, ...secs.map((sec) => read({ at: 200, sec })));
    for (const uneven of [printedAt(19, 20, 30, 40, 50), printedAt(0, 10, 40, 50)]) {
      const unconfirmed = follow(uneven, read({ at: 300, sec: 60 }));
      expect(isUnconfirmed(follow(unconfirmed, read({ at: 300, sec: 64.9 })))).toBe(true);
      expect(isUnconfirmed(follow(unconfirmed, read({ at: 300, sec: 65 })))).toBe(false);
    }
  });

  test("where no interval is known, the one up to the leap counts, whether a frame or a read told of it first", () => {
    const first = follow(noPrints, read({ at: 200, sec: 0 }));
    for (const told of [[read({ at: 300, sec: 60 })], [frame(300, 60, 0), read({ at: 300, sec: 60 })]]) {
      const unconfirmed = follow(first, ...told);
      expect(isUnconfirmed(follow(unconfirmed, read({ at: 300, sec: 89.9 })))).toBe(true);
      expect(isUnconfirmed(follow(unconfirmed, read({ at: 300, sec: 90 })))).toBe(false);
    }
  });

  test("unconfirmed prints do not set their own pace, where one interval is known", () => {
    const young = follow(noPrints, read({ at: 200, sec: 0 }), read({ at: 200, sec: 60 }));
    const twice = follow(young, read({ at: 300, sec: 60.7 }), read({ at: 300, sec: 61.7 }));
    expect(isUnconfirmed(twice)).toBe(true);
    expect(isUnconfirmed(follow(twice, read({ at: 300, sec: 90.6 })))).toBe(true);
    expect(isUnconfirmed(follow(twice, read({ at: 300, sec: 90.7 })))).toBe(false);
  });

  test("an operator", () => {
    const confirmed = confirmPrint(leapt);
    expect([isUnconfirmed(confirmed), trusted(confirmed)]).toEqual([false, 300]);
    expect(confirmPrint(calm)).toBe(calm);
  });
});

describe("what refutes it", () => {
  test("a later publication near the last trusted one, at once", () => {
    const refuted = follow(leapt, read({ at: 200.2, sec: 60.5 }));
    expect([isUnconfirmed(refuted), trusted(refuted)]).toEqual([false, 200.2]);
  });

  test("not an older read, nor a print from before the frame that told of the leap", () => {
    expect(follow(leapt, read({ at: 200, sec: 50 }))).toMatchObject({
      trusted: leapt.trusted,
      doubtful: leapt.doubtful,
    });
    const heard = follow(calm, frame(300, 60, 50));
    expect(isUnconfirmed(follow(heard, read({ at: 200.1, sec: 59 })))).toBe(true);
    expect(isUnconfirmed(follow(heard, read({ at: 200.1, sec: 60.3 })))).toBe(true);
    expect(isUnconfirmed(follow(heard, read({ at: 200.1, sec: 60.301 })))).toBe(false);
  });
});

test("while a print is unconfirmed strategies see the one before", () => {
  const view = read({ at: 300, sec: 60 });
  expect(atTrustedPrint(view, leapt).oracle).toMatchObject({ value: { price: usd(200) } });
  const same = read({ at: 200, sec: 50 });
  expect(atTrustedPrint(same, calm)).toBe(same);
  const blind = { ...view, oracle: absent };
  expect(atTrustedPrint(blind, calm)).toBe(blind);
  expect(atTrustedPrint(view, noPrints)).toBe(view);
});

test("law: the trusted print only leaps to where two publications agree, half an interval apart", () => {
  const publication = fc.record({ at: fc.constantFrom(200, 200.5, 260, 260.5, 300, 300.4), afterMs: fc.nat(EVERY_MS) });
  fc.assert(
    fc.property(fc.array(publication, { maxLength: 20 }), (publications) => {
      let state = calm;
      let sec = 50;
      const seen: { readonly at: number; readonly sec: number }[] = [];
      for (const { at, afterMs } of publications) {
        sec += afterMs / 1000;
        const before = trusted(state);
        state = follow(state, read({ at, sec }));
        const leaps = Math.abs(trusted(state) / before - 1) > 0.02;
        const agrees = seen.some((one) => Math.abs(one.at / at - 1) < 0.012 && one.sec < sec);
        if (leaps) expect(agrees).toBe(true);
        seen.push({ at, sec });
      }
    }),
  );
});

describe("a print that later words contradict", () => {
  /** A read that was asked so many seconds after the others. */
  const asked = (afterSec: number, view: View): View => ({ ...view, nowMs: view.nowMs + 1000 * afterSec });
  const calmAt = read({ at: 200, sec: 50 });

  test.each([
    ["near", 200.1],
    ["far", 300],
  ])("a second ahead and %s: closes at once, and a second read of 3 s later drops it", (_, at) => {
    const ahead = follow(calm, read({ at, sec: 51 }));
    const unconfirmed = follow(ahead, asked(1, calmAt));
    expect(unconfirmed.against).not.toBe(null);
    expect(trusted(unconfirmed)).toBe(trusted(ahead));
    expect(follow(unconfirmed, asked(3.9, calmAt))).toBe(unconfirmed);
    expect(follow(unconfirmed, asked(4, calmAt))).toEqual(calm);
  });

  test("a frame's leap that no read dates: the same", () => {
    const leapt = follow(calm, frame(300, 51, 50));
    expect(follow(leapt, asked(1, calmAt), asked(4, calmAt))).toEqual(calm);
  });

  test("where reads lag by more, the second word is asked so much later", () => {
    const lagging = (view: View): View => ({ ...view, readLagMaxMs: 10_000 });
    const written = { ...calm, newestMs: calm.newestMs + 60_000 };
    const unconfirmed = follow(written, lagging(asked(1, calmAt)));
    expect(follow(unconfirmed, lagging(asked(10.9, calmAt)))).toBe(unconfirmed);
    expect(follow(unconfirmed, lagging(asked(11, calmAt)))).toEqual(calm);
  });

  test("one read as new in between, and nothing is dropped", () => {
    const newest = read({ at: 200.1, sec: 60 });
    const known = follow(calm, newest);
    expect(follow(known, asked(1, calmAt), asked(2, newest), asked(5, calmAt))).toMatchObject({
      newestMs: known.newestMs,
    });
  });

  test("what an earlier run wrote down ahead is no ratchet", () => {
    const written = { ...calm, newestMs: calm.newestMs + 60_000 };
    expect(follow(written, asked(1, calmAt), asked(4, calmAt))).toEqual(calm);
  });

  test("and a far print takes its place: unconfirmed like any leap", () => {
    const ahead = follow(calm, read({ at: 200.1, sec: 60 }));
    const far = read({ at: 300, sec: 55 });
    const dropped = follow(ahead, asked(1, far), asked(4, far));
    expect([trusted(dropped), isUnconfirmed(dropped), dropped.against]).toEqual([200.1, true, null]);
    expect(dropped.doubtful).toMatchObject({ publishedMs: START_MS + 55_000, isDated: true });
  });

  test("and nothing trusted before it: the words that contradict it are the first", () => {
    const written = { ...noPrints, newestMs: START_MS + 60_000 };
    const first = follow(written, asked(1, calmAt), asked(4, calmAt));
    expect([trusted(first), isUnconfirmed(first)]).toEqual([200, false]);
  });
});

describe("a view that names a doubt", () => {
  const calmView = read({ at: 200, sec: 50 });
  const next = read({ at: 200.1, sec: 60 });
  const print = lastKnown(next.oracle)!;
  const stale = { state: "stale", value: print, ageMs: 60_000 } as const;
  const unconfirmed: View = { ...next, oracle: { ...stale, doubt: "two reads disagree" } };
  const against = { publishedMs: Number.NEGATIVE_INFINITY, askedMs: unconfirmed.nowMs };

  test("closes at once, and takes no print; the first instant of it counts", () => {
    expect(follow(calm, unconfirmed)).toEqual({ ...calm, against });
    expect(follow(calm, unconfirmed, { ...unconfirmed, nowMs: unconfirmed.nowMs + 500 })).toEqual({ ...calm, against });
  });

  test("is over with a read that was asked no earlier, and not with one that was", () => {
    const heard = follow(calm, unconfirmed);
    // The read is ten milliseconds old.
    expect(follow(heard, { ...calmView, nowMs: unconfirmed.nowMs + 10 }).against).toBe(null);
    expect(follow(heard, { ...calmView, nowMs: unconfirmed.nowMs + 9 }).against).toEqual(against);
  });

  test("an old print alone is no doubt", () => {
    expect(trusted(follow(calm, { ...next, oracle: stale }))).toBe(200.1);
  });
});
