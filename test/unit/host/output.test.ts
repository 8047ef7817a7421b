// A daemon's output to a reader that takes it late, in pieces, or never.

import { expect, test } from "vitest";
import { Output, type WriteSome } from "../../../src/host/output.ts";
import { microtasks } from "../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../src/kernel/virtual-clock.ts";

const EAGAIN = Object.assign(new Error("not now"), { code: "EAGAIN" });
const EPIPE = Object.assign(new Error("nobody"), { code: "EPIPE" });
const KB = 1024;

/** A reader whose answer a test decides, write by write. */
function reader() {
  const clock = createVirtualClock({ startMs: 0, settle: microtasks });
  const took: string[] = [];
  let takes: (bytes: Uint8Array) => number | Error = ({ length }) => length;
  const write: WriteSome = (bytes, done) => {
    const taken = takes(bytes);
    if (typeof taken === "number") took.push(Buffer.from(bytes.subarray(0, taken)).toString());
    void Promise.resolve().then(() => (typeof taken === "number" ? done(null, taken) : done(taken, 0)));
  };
  const output = new Output({ clock, write, gap: (lines) => `${lines} missing\n` });
  return {
    clock,
    output,
    text: () => took.join(""),
    takes: (how: typeof takes) => {
      takes = how;
    },
  };
}

test("lines come out in their order, whatever pieces are taken", async () => {
  const { output, text, takes } = reader();
  takes(({ length }) => Math.min(3, length));
  for (const line of ["one\n", "two\n", "three\n"]) output.print(line);
  await output.taken(1000);
  expect(text()).toBe("one\ntwo\nthree\n");
});

test("a reader that takes nothing holds up nothing, and gets everything when it reads again", async () => {
  const { clock, output, text, takes } = reader();
  takes(() => EAGAIN);
  output.print("one\n");
  output.print("two\n");
  await clock.advance(60_000);
  expect(text()).toBe("");
  takes(({ length }) => length);
  await clock.advance(100);
  expect(text()).toBe("one\ntwo\n");
});

test("of more than a MiB the oldest lines go; where they are missing it is said how many", async () => {
  const { clock, output, text, takes } = reader();
  takes(() => EAGAIN);
  output.print("first\n"); // on its way
  for (let line = 0; line < 1100; line += 1) output.print(`${line} ${"x".repeat(KB - 10)}\n`);
  takes(({ length }) => length);
  await clock.advance(100);
  const lines = text().split("\n");
  expect(lines[0]).toBe("first");
  const dropped = Number(/^(\d+) missing$/.exec(lines[1] ?? "")?.[1]);
  expect(dropped).toBeGreaterThan(50);
  expect(lines[2]).toMatch(new RegExp(`^${dropped} x`));
  expect(lines.at(-2)).toMatch(/^1099 x/);
});

test("lines that an error has lost are counted with the next that are taken", async () => {
  const { clock, output, text, takes } = reader();
  takes(() => EPIPE);
  output.print("one\n");
  await clock.advance(100);
  output.print("two\n");
  await clock.advance(100);
  takes(({ length }) => length);
  output.print("three\n");
  await output.taken(1000);
  expect(text()).toBe("2 missing\nthree\n");
});

test("an end waits for its last lines, and not for longer than it says", async () => {
  const { clock, output, takes } = reader();
  let isTaken = false;
  const takenWithin = (limitMs: number) => {
    isTaken = false;
    void output.taken(limitMs).then(() => {
      isTaken = true;
    });
  };
  takes(() => EAGAIN);
  output.print("last\n");
  takenWithin(1000);
  await clock.advance(999);
  expect(isTaken).toBe(false);
  await clock.advance(1);
  expect(isTaken).toBe(true);
  takenWithin(1000);
  takes(({ length }) => length);
  await clock.advance(100);
  expect(isTaken).toBe(true);
});
