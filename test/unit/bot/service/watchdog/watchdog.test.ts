// The watchdog's judgment under a clock that the test moves: when silence is silence, what a clean stop changes, and that it never stops
// looking while a daemon is gone.

import { beforeEach, describe, expect, test } from "vitest";
import type { AccountAbility } from "../../../../../src/bot/decider/acting/ability.ts";
import type { LocklessCancelResult } from "../../../../../src/bot/execution/lockless-cancel.ts";
import type { Heartbeat } from "../../../../../src/bot/service/watchdog/heartbeat.ts";
import { Watchdog } from "../../../../../src/bot/service/watchdog/watchdog.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import { accountId } from "../../../../../src/domain/units.ts";
import { macrotask } from "../../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../../src/kernel/virtual-clock.ts";

const account = accountId(12n);
const SILENCE_MS = 10_000;

let clock: VirtualClock;
let beat: () => Heartbeat | undefined;
/** The daemon's answer never comes, and no timeout ends the waiting. */
let stuck: boolean;
/** Orders at the exchange. */
let resting: number;
let cancelMs: number;
let kept: readonly bigint[];
let canceledByName: readonly bigint[];
let cancels: number;
let events: string[];
let dog: Watchdog;
let ended: Promise<void>;

const flat = (canceled: number): LocklessCancelResult => ({
  confirmed: true,
  remaining: [],
  kept: [],
  unresolved: 0,
  reads: 2,
  unread: [],
  canceled,
});

/** Cancels everything after a while, unless it is over before. */
async function massCancel(isOver: () => boolean): Promise<LocklessCancelResult> {
  cancels += 1;
  await new Promise<void>((done) => clock.after(cancelMs, done));
  if (isOver()) return { confirmed: false, remaining: [], kept: [], unresolved: 0, reads: 0, unread: [], canceled: 0 };
  const canceled = resting;
  resting = 0;
  return flat(canceled);
}

const turning = (ability?: Partial<AccountAbility>) => {
  let turns = 0;
  return (): Heartbeat => {
    turns += 1;
    const able = { accountId: `${account}`, answeredAgoMs: 50, cancelsSucceed: true, keyLeftMs: null, resting: [] };
    return { phase: "trading", kept: [], turns, accounts: ability === undefined ? [] : [{ ...able, ...ability }] };
  };
};

beforeEach(() => {
  clock = createVirtualClock({ startMs: 1_790_000_000_000, settle: macrotask });
  beat = turning();
  stuck = false;
  resting = 4;
  cancelMs = 500;
  cancels = 0;
  events = [];
  const write = (line: string) => events.push((JSON.parse(line) as { event: string }).event);
  dog = new Watchdog(
    { silenceMs: SILENCE_MS, pollMs: 250, accounts: [account] },
    {
      clock,
      log: createLog("info", { write, terminal: false, wallMs: clock.wallMs }),
      heartbeat: () => (stuck ? new Promise(() => {}) : Promise.resolve(beat())),
      massCancel: (of, { keep, named }, isOver) => {
        expect(of).toBe(account);
        kept = [...keep];
        canceledByName = [...named];
        return massCancel(isOver);
      },
    },
  );
  ended = dog.run();
});

const seconds = (count: number) => clock.advance(count * 1000);
const silent = () => undefined;

test("a daemon that turns is left alone", async () => {
  await seconds(3600);
  expect([cancels, resting, events]).toEqual([0, 4, []]);
});

describe("whoever watches the watchdog", () => {
  test("hears that no look is overdue, also where the daemon is silent and everything is canceled", async () => {
    await seconds(60);
    expect(dog.overdueMs()).toBe(0);
    beat = silent;
    await seconds(60);
    expect([dog.overdueMs(), cancels > 0]).toEqual([0, true]);
  });

  test("hears how long a look is overdue that does not end", async () => {
    stuck = true;
    await seconds(1);
    expect(dog.overdueMs(), "an answer may take so long").toBe(0);
    await seconds(60);
    expect(dog.overdueMs()).toBeGreaterThan(57_000);
    expect(dog.overdueMs()).toBeLessThanOrEqual(61_000);
  });
});

describe("silence", () => {
  test.each<readonly [string, () => Heartbeat | undefined]>([
    ["nothing answers", silent],
    ["it answers and does not turn", () => ({ phase: "trading", kept: [], accounts: [], turns: 7 })],
    ["it never comes up", () => ({ phase: "starting", kept: [], accounts: [], turns: 0 })],
  ])("%s: everything is canceled, not before its time", async (_, answer) => {
    await seconds(60);
    beat = answer;
    await seconds(9);
    expect(cancels).toBe(0);
    await seconds(2);
    expect([cancels, resting]).toEqual([1, 0]);
    expect(events).toEqual(["watchdog.silent", "watchdog.canceled"]);
  });

  test("one that starts again and has not turned yet is silent on", async () => {
    await seconds(60);
    beat = silent;
    await seconds(6);
    beat = () => ({ phase: "starting", kept: [], accounts: [], turns: 0 });
    await seconds(5);
    expect([cancels, resting]).toEqual([1, 0]);
  });

  test("the orders that the daemon said must stay are kept, through a start that does not know them yet", async () => {
    beat = () => ({ phase: "trading", turns: 7, kept: ["18446744073709551615"], accounts: [] });
    await seconds(1);
    beat = () => ({ phase: "starting", turns: 0, kept: [], accounts: [] });
    await seconds(12);
    expect([cancels, kept]).toEqual([1, [18446744073709551615n]]);
  });

  test("its own orders, as it last named them, are canceled by name, through a start that does not know them yet", async () => {
    beat = turning({ resting: ["7", "9"] });
    await seconds(60);
    beat = () => ({ phase: "starting", turns: 0, kept: [], accounts: [] });
    await seconds(11);
    expect([cancels, canceledByName]).toEqual([1, [7n, 9n]]);
  });

  test("a daemon that was never heard is as silent as one that died", async () => {
    beat = silent;
    await seconds(11);
    expect([cancels, resting]).toEqual([1, 0]);
  });

  test("what lands late is canceled too, for as long as the silence lasts, and only that is told", async () => {
    beat = silent;
    await seconds(12);
    await seconds(60);
    expect(events).toEqual(["watchdog.silent", "watchdog.canceled"]);
    resting = 1;
    await seconds(12);
    expect([resting, events.at(-1), events.length]).toEqual([0, "watchdog.canceled", 3]);
  });

  test("a mass cancel that fails is tried again at once, and says what may rest", async () => {
    let fails = 2;
    const good = massCancel;
    beat = silent;
    dog.stop();
    await seconds(1);
    const failing = new Watchdog(
      { silenceMs: SILENCE_MS, pollMs: 250, accounts: [account] },
      {
        clock,
        log: createLog("info", {
          write: (line) => events.push((JSON.parse(line) as { event: string }).event),
          terminal: false,
          wallMs: clock.wallMs,
        }),
        heartbeat: () => Promise.resolve(undefined),
        massCancel: async (_, __, isOver) => {
          fails -= 1;
          return fails >= 0
            ? { confirmed: false, remaining: [], kept: [], unresolved: 0, reads: 0, unread: [], canceled: 0 }
            : await good(isOver);
        },
      },
    );
    const over = failing.run();
    await seconds(13);
    expect(events).toEqual(["watchdog.silent", "watchdog.failed", "watchdog.failed", "watchdog.canceled"]);
    failing.stop();
    await seconds(1);
    await over;
  });

  test("a daemon that is back ends the sweep and is left alone again", async () => {
    cancelMs = 5000;
    beat = silent;
    await seconds(11);
    expect(cancels).toBe(1);
    beat = turning();
    await seconds(60);
    expect([cancels, resting, events]).toEqual([1, 4, ["watchdog.silent", "watchdog.back"]]);
  });
});

describe("a daemon that turns and cannot act is as silent as a dead one", () => {
  /** The exchange went silent when the daemon's clock said so. */
  const cutOff = () => {
    const beat = turning({});
    const cutMs = clock.monotonicMs();
    return (): Heartbeat => {
      const whole = beat();
      const accounts = whole.accounts.map((of) => ({ ...of, answeredAgoMs: clock.monotonicMs() - cutMs }));
      return { ...whole, accounts };
    };
  };

  test.each<readonly [string, () => () => Heartbeat]>([
    ["the exchange does not answer it", cutOff],
    ["its cancels fail", () => turning({ cancelsSucceed: false })],
    ["its key may not act", () => turning({ keyLeftMs: 0 })],
    ["the exchange has never answered it", () => turning({ answeredAgoMs: null })],
  ])("%s: everything is canceled, not before its time", async (_, unable) => {
    beat = turning({});
    await seconds(60);
    beat = unable();
    await seconds(9);
    expect(cancels).toBe(0);
    await seconds(2);
    expect([cancels, resting]).toEqual([1, 0]);
    expect(events).toEqual(["watchdog.silent", "watchdog.canceled"]);
    beat = turning({ keyLeftMs: 1000 });
    await seconds(60);
    expect([cancels, events.at(-1)]).toEqual([1, "watchdog.back"]);
  });

  test("one that could not act for less is left alone", async () => {
    beat = turning({});
    await seconds(60);
    beat = turning({ cancelsSucceed: false });
    await seconds(9);
    beat = turning({});
    await seconds(60);
    expect([cancels, events]).toEqual([0, []]);
  });

  test("of another account nothing is canceled for that", async () => {
    beat = turning({ accountId: "13", keyLeftMs: 0 });
    await seconds(60);
    expect(cancels).toBe(0);
  });
});

test("right before it cancels it asks once more: a daemon that answers then is left alone", async () => {
  const back = turning();
  back();
  let askedSilent = 0;
  beat = () => {
    if (clock.monotonicMs() < SILENCE_MS) return undefined;
    askedSilent += 1;
    return askedSilent === 1 ? undefined : back();
  };
  await seconds(60);
  expect([cancels, events]).toEqual([0, []]);
});

describe("a clean stop", () => {
  beforeEach(async () => {
    await seconds(5);
    beat = () => ({ phase: "stopping", kept: [], accounts: [], turns: 1_000_000 });
    await seconds(1);
    beat = silent;
  });

  test("with nothing left stands it down until a daemon runs again", async () => {
    resting = 0;
    await seconds(20);
    expect(events).toEqual(["watchdog.stopped", "watchdog.standsDown"]);
    resting = 3;
    await seconds(120);
    expect([cancels, resting], "orders of somebody else").toEqual([1, 3]);
    beat = turning();
    await seconds(1);
    beat = silent;
    await seconds(12);
    expect([resting, events.slice(2)]).toEqual([0, ["watchdog.back", "watchdog.silent", "watchdog.canceled"]]);
  });

  test("that left something is no clean stop: it is canceled, and looked at again", async () => {
    await seconds(12);
    expect([resting, events]).toEqual([0, ["watchdog.stopped", "watchdog.canceled"]]);
    await seconds(12);
    expect(events.at(-1)).toBe("watchdog.standsDown");
  });
});

test("told to stop, it ends without waiting for the silence", async () => {
  dog.stop();
  await seconds(1);
  await ended;
  expect(cancels).toBe(0);
});
