// Nonces of the client: the time, or the last one plus one, a key each (S5).

import fc from "fast-check";
import { expect, test } from "vitest";
import { createStamps } from "../../../src/client/stamps.ts";

test("nonces of a key only ever grow, and are never behind the clock, however it steps", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 50 }), (times) => {
      let nowMs = 0;
      const stamps = createStamps({ clock: { wallMs: () => nowMs } });
      let last = -1n;
      for (const time of times) {
        nowMs = time;
        const { nonce, timestampSec } = stamps.next("key");
        expect(nonce > last && nonce >= BigInt(time)).toBe(true);
        expect(timestampSec).toBe(Math.floor(time / 1000));
        last = nonce;
      }
    }),
  );
});

test("each key has its own", () => {
  const stamps = createStamps({ clock: { wallMs: () => 5 } });
  expect([stamps.next("a").nonce, stamps.next("a").nonce, stamps.next("b").nonce]).toEqual([5n, 6n, 5n]);
});
