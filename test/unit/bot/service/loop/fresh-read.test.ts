// A read that is sure to show what happened before it: two blocks later, however they are heard of, and not for ever.

import { beforeEach, expect, test } from "vitest";
import { createFeedState, type FeedState } from "../../../../../src/bot/feed/state.ts";
import { readAfterBlocks } from "../../../../../src/bot/service/loop/fresh-read.ts";
import type { NodeStatus } from "../../../../../src/domain/account.ts";
import { accountId } from "../../../../../src/domain/units.ts";
import { macrotask } from "../../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../../src/kernel/virtual-clock.ts";

const account = accountId(12n);

let clock: VirtualClock;
let state: FeedState;
/** What the node says; undefined: it does not answer. */
let height: number | undefined;
let heightReads: number;
let accountReads: number;
let end: "done" | string | undefined;

beforeEach(() => {
  clock = createVirtualClock({ startMs: 1_790_000_000_000, settle: macrotask });
  state = createFeedState({ markets: [], accounts: [] });
  height = 100;
  heightReads = 0;
  accountReads = 0;
  end = undefined;
  void readAfterBlocks(account, 2, {
    state,
    clock,
    reads: {
      async node() {
        heightReads += 1;
        if (height === undefined) throw new Error("unreachable");
        return { blockHeight: height } as NodeStatus;
      },
    },
    async readAccount() {
      accountReads += 1;
    },
  }).then(
    () => {
      end = "done";
    },
    (error: Error) => {
      end = error.message;
    },
  );
});

test("waits for as many blocks, then reads once", async () => {
  height = 101;
  await clock.advance(5000);
  expect([end, accountReads]).toEqual([undefined, 0]);
  height = 102;
  await clock.advance(500);
  expect([end, accountReads]).toEqual(["done", 1]);
});

test("believes the stream's height, and asks no more then", async () => {
  await clock.advance(1000);
  const asked = heightReads;
  state.chain.height = 102;
  await clock.advance(500);
  expect([end, accountReads, heightReads]).toEqual(["done", 1, asked]);
});

test("a chain that stands still is given up after half a minute, and asked about twice a second at most", async () => {
  await clock.advance(29_000);
  expect(end).toBeUndefined();
  await clock.advance(2000);
  expect(end).toBe("the chain stands still at block 100");
  expect(accountReads).toBe(0);
  expect(heightReads).toBeLessThan(70);
  const asked = heightReads;
  await clock.advance(60_000);
  expect(heightReads).toBe(asked);
});

test("a node that does not answer ends it", async () => {
  await clock.advance(1000);
  height = undefined;
  await clock.advance(500);
  expect([end, accountReads]).toEqual(["unreachable", 0]);
});

test("a look at the height that fails is taken again, and blocks that have passed need not pass once more", async () => {
  await clock.advance(1000);
  height = undefined;
  await clock.advance(200);
  height = 102;
  await clock.advance(500);
  expect([end, accountReads]).toEqual(["done", 1]);
});
