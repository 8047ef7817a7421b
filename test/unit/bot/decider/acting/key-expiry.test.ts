// The end of a key: each warning once, the nearest alone, again for another key; and everything cleared while there is time.

import { beforeEach, describe, expect, test } from "vitest";
import { KeyExpiry } from "../../../../../src/bot/decider/acting/key-expiry.ts";
import type { AccountDesk } from "../../../../../src/bot/decider/desks/account-desk.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import { accountId } from "../../../../../src/domain/units.ts";
import { absent } from "../../../../../src/domain/view.ts";

const account = accountId(12n);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Chain time, ms. */
const NOW_MS = 1_790_000_000_000;

let lines: string[];
let cleared: (() => boolean)[];
let left: { ms: number | null; key: string };
let life: KeyExpiry;
let chainMs: number;

const fresh = <T>(value: T) => ({ state: "fresh" as const, value, ageMs: 0 });

/** A desk of one market whose newest view shows a key that ends in `left.ms`; null: one without an end. */
function desk(): AccountDesk {
  const last = {
    get view() {
      const expiresAtSec = left.ms === null ? null : (NOW_MS + left.ms) / 1000;
      return {
        agent: left.key === "" ? absent : fresh({ pubkey: left.key, name: "bot", expiresAtSec }),
        chain: fresh({ height: 1, timeMs: chainMs, offsetMs: 0, blockMs: 0 }),
      };
    },
  };
  const market = { last, quoted: { limits: { agentExpiryMarginMs: 600_000 } } };
  return { accountId: account, markets: new Map([[1, market]]) } as unknown as AccountDesk;
}

beforeEach(() => {
  chainMs = NOW_MS;
  lines = [];
  cleared = [];
  left = { ms: null, key: "one" };
  const log = createLog("info", { write: (line) => lines.push(line), terminal: false, wallMs: () => NOW_MS });
  life = new KeyExpiry({
    desks: new Map([[account, desk()]]),
    log,
    halts: {
      beforeKeyEnds(of, isEnding) {
        expect(of.accountId).toBe(account);
        cleared.push(isEnding);
      },
    },
  });
});

const look = (ms: number | null): void => {
  left.ms = ms;
  life.look();
};
const words = () => lines.map((line) => /in less than (.*):/.exec((JSON.parse(line) as { msg: string }).msg)?.[1]);

describe("warnings", () => {
  test("a week, a day and an hour ahead, once each as time goes by", () => {
    left.ms = 8 * DAY_MS;
    for (; chainMs < NOW_MS + 8 * DAY_MS; chainMs += HOUR_MS / 2) life.look();
    expect(words()).toEqual(["a week", "a day", "an hour"]);
  });

  test("none for a key without an end, or whose end is far, or that is not known", () => {
    for (const ms of [null, 8 * DAY_MS, 7 * DAY_MS + 1000]) look(ms);
    left.key = "";
    look(HOUR_MS);
    expect(lines).toEqual([]);
  });

  test.each<readonly [string, number, string]>([
    ["a week", 7 * DAY_MS, "a week"],
    ["six days", 6 * DAY_MS, "a week"],
    ["a day", DAY_MS, "a day"],
    ["two hours", 2 * HOUR_MS, "a day"],
    ["half an hour", HOUR_MS / 2, "an hour"],
  ])("%s ahead the nearest alone is said, and once", (_, ms, said) => {
    look(ms);
    look(ms);
    expect(words()).toEqual([said]);
  });

  test("another key is warned about again", () => {
    look(DAY_MS);
    left.key = "two";
    look(6 * DAY_MS);
    expect(words()).toEqual(["a day", "a week"]);
  });
});

describe("clearing", () => {
  test("at half of the margin, once, and only while the key still ends", () => {
    look(301_000);
    expect(cleared).toHaveLength(0);
    look(300_000);
    look(300_000);
    expect(cleared).toHaveLength(1);
    expect(cleared[0]?.()).toBe(true);
    left = { ms: 30 * DAY_MS, key: "two" };
    expect(cleared[0]?.(), "a rotation ends it").toBe(false);
  });

  test("a key that no longer ends is cleared for nothing", () => {
    look(1000);
    left.ms = null;
    expect(cleared[0]?.()).toBe(false);
  });
});
