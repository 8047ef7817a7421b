// What an allocator refuses and what it never refuses, by which clock it goes, and the reservation on disk.

import { beforeEach, describe, expect, test } from "vitest";
import { NonceAllocator, reservingFor } from "../../../../src/bot/execution/nonces.ts";
import type { ChainTime } from "../../../../src/bot/execution/send-time.ts";
import { nonce } from "../../../../src/domain/units.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";

const startMs = 1_790_000_000_000;
const offsetMsMax = 1500;

let clock: VirtualClock;
let chain: ChainTime | null;
let reserved: bigint | null;
let disk: "works" | "fails" | "slow";
let slow: (() => void)[];
let reservations: bigint[];
let ofEarlierLives: bigint[];

const journal = {
  reservation: () => (reserved === null ? null : nonce(reserved)),
  newestNonces: () => ofEarlierLives.map(nonce),
  reserve: (_signer: string, until: bigint) => {
    if (disk === "fails") return Promise.resolve(false);
    reservations.push(until);
    if (disk === "works") return Promise.resolve(true);
    return new Promise<boolean>((resolve) => slow.push(() => resolve(true)));
  },
};
const allocator = (limits = {}): NonceAllocator =>
  new NonceAllocator(
    { signer: "a", limits },
    { clock, journal, chainTime: () => chain && { ...chain, timeMs: chain.timeMs + clock.elapsedMs() } },
  );

beforeEach(() => {
  clock = createVirtualClock({ startMs });
  chain = { timeMs: startMs, offsetMs: 0, offsetMsMax };
  reserved = BigInt(startMs) - 5_000n;
  disk = "works";
  slow = [];
  reservations = [];
  ofEarlierLives = [];
});

const codeOf = (answer: ReturnType<NonceAllocator["allocate"]>): string =>
  answer.kind === "issued" ? "issued" : answer.code;
const issued = (answer: ReturnType<NonceAllocator["allocate"]>): bigint => {
  if (answer.kind === "refused") throw new Error(answer.code);
  return answer.nonce;
};

test("the time in ms, and the next whole number while it stands", async () => {
  const nonces = allocator();
  await nonces.extend();
  expect([1, 2, 3].map(() => issued(nonces.allocate("increase")))).toEqual(
    [startMs, startMs + 1, startMs + 2].map(BigInt),
  );
  clock.advanceSync(500);
  expect(issued(nonces.allocate("increase"))).toBe(BigInt(startMs + 500));
});

test("the machine's time while chain time agrees with it, else chain time", async () => {
  chain = { timeMs: startMs + 900, offsetMs: 900, offsetMsMax };
  const nonces = allocator();
  await nonces.extend();
  expect(issued(nonces.allocate("increase"))).toBe(BigInt(startMs));
  chain = { timeMs: startMs + 1600, offsetMs: 1600, offsetMsMax };
  expect(issued(nonces.allocate("cancel"))).toBe(BigInt(startMs + 1600));
});

test("a run starts above what an earlier one reserved", async () => {
  reserved = BigInt(startMs + 700);
  const nonces = allocator();
  await nonces.extend();
  expect(issued(nonces.allocate("increase"))).toBe(BigInt(startMs + 701));
});

describe("the reservation", () => {
  test("is one second ahead of the time and is extended as it is used up, not at each look", async () => {
    const nonces = allocator();
    for (let look = 0; look < 20; look += 1) {
      await nonces.extend();
      clock.advanceSync(100);
    }
    expect(reservations).toEqual([1000, 1400, 1800, 2200, 2600].map((ms) => BigInt(startMs + ms)));
  });

  test("is never issued past by new exposure, always by what must go", async () => {
    const nonces = allocator();
    expect(codeOf(nonces.allocate("increase"))).toBe("notReserved");
    expect([codeOf(nonces.allocate("reduce")), codeOf(nonces.allocate("cancel"))]).toEqual(["issued", "issued"]);
    expect(reservations).toEqual([BigInt(startMs), BigInt(startMs + 1)]);
  });

  test("counts when it is on disk, not when it is asked for", async () => {
    disk = "slow";
    const nonces = allocator();
    const extended = nonces.extend();
    expect(codeOf(nonces.allocate("increase"))).toBe("notReserved");
    for (const finish of slow) finish();
    expect(await extended).toBe(true);
    expect(codeOf(nonces.allocate("increase"))).toBe("issued");
  });

  test("a disk that fails closes new exposure when what is reserved is used up, and nothing else", async () => {
    const nonces = allocator();
    await nonces.extend();
    disk = "fails";
    clock.advanceSync(900);
    await nonces.extend();
    expect(codeOf(nonces.allocate("increase"))).toBe("issued");
    clock.advanceSync(200);
    await nonces.extend();
    expect(codeOf(nonces.allocate("increase"))).toBe("notReserved");
    expect([codeOf(nonces.allocate("reduce")), codeOf(nonces.allocate("cancel"))]).toEqual(["issued", "issued"]);
  });

  test("a key of which nothing is known keeps clear of what a lost journal may have issued", async () => {
    reserved = null;
    const nonces = allocator();
    expect(await nonces.extend()).toBe(true);
    expect(issued(nonces.allocate("increase"))).toBe(BigInt(startMs + 501));
  });
});

describe("doubt closes new exposure and nothing else", () => {
  const others = (nonces: NonceAllocator) => [codeOf(nonces.allocate("reduce")), codeOf(nonces.allocate("cancel"))];

  test("an unknown offset", async () => {
    const nonces = allocator();
    await nonces.extend();
    chain = null;
    expect(codeOf(nonces.allocate("increase"))).toBe("offsetUnknown");
    expect(others(nonces)).toEqual(["issued", "issued"]);
  });

  test.each([1501, -1501])("an offset of %d ms", async (offsetMs) => {
    const nonces = allocator();
    await nonces.extend();
    chain = { timeMs: startMs, offsetMs, offsetMsMax };
    expect(nonces.allocate("increase")).toMatchObject({ code: "offsetTooLarge", facts: { offsetMs, offsetMsMax } });
    expect(others(nonces)).toEqual(["issued", "issued"]);
    chain = { timeMs: startMs, offsetMs: Math.sign(offsetMs) * offsetMsMax, offsetMsMax };
    expect(codeOf(nonces.allocate("increase"))).toBe("issued");
  });

  test("fifty in flight; one that ends makes room", async () => {
    const nonces = allocator();
    await nonces.extend();
    const first = issued(nonces.allocate("increase"));
    for (let n = 1; n < 50; n += 1) nonces.allocate("increase");
    expect(nonces.inFlight).toBe(50);
    expect(codeOf(nonces.allocate("increase"))).toBe("tooManyInFlight");
    expect(others(nonces)).toEqual(["issued", "issued"]);
    nonces.ended(nonce(first));
    expect(codeOf(nonces.allocate("increase"))).toBe("tooManyInFlight");
    for (const n of [1n, 2n, 3n]) nonces.ended(nonce(first + n));
    expect(codeOf(nonces.allocate("increase"))).toBe("issued");
  });

  test("is told once it has lasted a second", async () => {
    const nonces = allocator();
    chain = { timeMs: startMs, offsetMs: 1501, offsetMsMax };
    await nonces.extend();
    clock.advanceSync(999);
    expect(nonces.refusal).toBe(null);
    clock.advanceSync(1);
    expect(nonces.refusal).toMatchObject({ code: "offsetTooLarge", offsetMs: 1501 });
    chain = { timeMs: startMs, offsetMs: 0, offsetMsMax };
    await nonces.extend();
    await nonces.extend();
    expect(nonces.refusal).toBe(null);
  });
});

describe("a clock that was wrong", () => {
  const hour = 3_600_000;

  test("an hour ahead gives what must go its nonces; the next ones are of now, and none is used twice", async () => {
    const nonces = allocator();
    await nonces.extend();
    const early = [1, 2, 3].map(() => issued(nonces.allocate("increase")));
    chain = { timeMs: startMs + hour, offsetMs: hour, offsetMsMax };
    const far = [1, 2, 3].map(() => issued(nonces.allocate("cancel")));
    expect(far[0]).toBe(BigInt(startMs + hour));
    const byMachine = issued(nonces.allocate("cancel", startMs));
    chain = { timeMs: startMs, offsetMs: 0, offsetMsMax };
    clock.advanceSync(6000);
    await nonces.extend();
    const again = issued(nonces.allocate("increase"));
    expect(again).toBe(BigInt(startMs + 6000));
    clock.advanceSync(hour - 6000 - 1);
    await nonces.extend();
    const later = [1, 2, 3].map(() => issued(nonces.allocate("increase")));
    expect(new Set([...early, ...far, byMachine, again, ...later]).size).toBe(11);
  });

  test("a reservation of an earlier run hours ahead silences nothing, and does not stay on disk", async () => {
    reserved = BigInt(startMs + hour);
    const nonces = allocator();
    await nonces.extend();
    expect(issued(nonces.allocate("increase"))).toBe(BigInt(startMs + 501));
    expect(nonces.refusal).toBe(null);
    expect(reservations.at(-1)).toBe(BigInt(startMs + 1000));
  });

  test("behind gives no nonce that an earlier run had", async () => {
    ofEarlierLives = [501, 502, 504].map((ms) => BigInt(startMs - hour + ms));
    const nonces = allocator();
    await nonces.extend();
    chain = { timeMs: startMs - hour, offsetMs: -hour, offsetMsMax };
    const back = [1, 2, 3].map(() => issued(nonces.allocate("reduce")));
    expect(back).toEqual([503, 505, 506].map((ms) => BigInt(startMs - hour + ms)));
  });

  test("nothing is written down that is further than a second ahead of chain time", async () => {
    const nonces = allocator();
    await nonces.extend();
    chain = { timeMs: startMs - hour, offsetMs: -hour, offsetMsMax };
    nonces.allocate("cancel");
    nonces.allocate("cancel", startMs);
    nonces.allocate("reduce", startMs - hour);
    for (const until of reservations.slice(1)) expect(Number(until)).toBeLessThanOrEqual(startMs - hour + 1000);
  });

  test("before the first pong what must go goes by the machine's clock; the mark on disk comes back with chain time", async () => {
    reserved = BigInt(startMs - hour);
    const nonces = allocator();
    chain = null;
    expect([issued(nonces.allocate("cancel")), issued(nonces.allocate("reduce")), nonces.unchecked()]).toEqual(
      [startMs, startMs + 1, startMs + 2].map(BigInt),
    );
    chain = { timeMs: startMs - hour, offsetMs: -hour, offsetMsMax };
    expect(issued(nonces.allocate("cancel"))).toBe(BigInt(startMs - hour + 501));
    expect(reservations.at(-1)).toBe(BigInt(startMs - hour + 501));
  });
});

describe("CancelOrder's nonce", () => {
  test("is never refused, never in flight, and used for nothing else", async () => {
    const nonces = allocator();
    chain = null;
    const free = [nonces.unchecked(), nonces.unchecked()];
    expect(free[1]).toBe((free[0] ?? 0n) + 1n);
    expect(nonces.inFlight).toBe(0);
    expect(issued(nonces.allocate("cancel"))).toBe((free[1] ?? 0n) + 1n);
  });

  test("a storm of them, twice every order there may be, leaves new exposure its reservation", async () => {
    const nonces = allocator();
    await nonces.extend();
    for (let n = 0; n < 400; n += 1) nonces.unchecked();
    expect(codeOf(nonces.allocate("increase"))).toBe("issued");
  });

  test("no storm carries the others away for good", () => {
    const nonces = allocator();
    for (let n = 0; n < 50_000; n += 1) nonces.unchecked();
    expect(Number(nonces.last) - startMs).toBeLessThanOrEqual(10_000);
  });
});

test.each([0, 1000, 3332])(
  "of a fleet's reservation a lease is left, %i ms after the last one that succeeded",
  async (ms) => {
    const leaseMs = 5000;
    const nonces = allocator(reservingFor(leaseMs));
    await nonces.extend();
    clock.advanceSync(ms);
    disk = "slow";
    void nonces.extend();
    clock.advanceSync(leaseMs);
    expect(codeOf(nonces.allocate("increase"))).toBe("issued");
  },
);

test("a successor with the same key begins above all that was reserved, and is no runaway", async () => {
  const limits = reservingFor(5000);
  await allocator(limits).extend();
  reserved = reservations.at(-1) ?? null;
  const next = allocator(limits);
  clock.advanceSync(1);
  await next.extend();
  expect(issued(next.allocate("increase"))).toBe((reserved ?? 0n) + 1n);
});
