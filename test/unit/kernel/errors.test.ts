// The small parts of the kernel: errors, assertions, hashes, hex, and the two doors to the machine, clock and entropy.

import { describe, expect, test } from "vitest";
import { assert, InvariantError, unreachable } from "../../../src/kernel/assert.ts";
import { systemClock } from "../../../src/kernel/clock.ts";
import { systemEntropy } from "../../../src/kernel/entropy.ts";
import { CodedError, messageOf, sourcePlace } from "../../../src/kernel/errors.ts";
import { sha256Hex } from "../../../src/kernel/hash.ts";
import { bytesFromHex, hexOf } from "../../../src/kernel/hex.ts";

describe("coded errors", () => {
  class DoorError extends CodedError<"locked" | "missing"> {}

  test("carry code, facts and cause, and the name of their own class", () => {
    const cause = new Error("no key");
    const error = new DoorError("locked", "the door is locked", { facts: { doorId: 7n }, cause });
    expect(error).toMatchObject({ name: "DoorError", code: "locked", facts: { doorId: 7n }, cause });
    expect(error).toBeInstanceOf(CodedError);
  });

  test("without a cause have none at all", () => {
    expect(Object.hasOwn(new DoorError("missing", "no door"), "cause")).toBe(false);
  });

  test.each([
    ["Error: no\n    at quote (file:///tmp/a%20b/own.ts?version=0a1b:57:12)", "/tmp/a b/own.ts:57"],
    ["Error: no\n    at file:///tmp/%zz/own.ts?version=0a1b:57:12", "/tmp/%zz/own.ts:57"],
    ["file:///tmp/a%20b/own.ts:6\n  return 1 +;\nSyntaxError: Expression expected", "/tmp/a b/own.ts:6"],
    ["/tmp/a b/own.ts:6\n  return 1 +;\nSyntaxError: Expression expected", "/tmp/a b/own.ts:6"],
    ["Error: no\n    at turn (file:///opt/quoin/src/bot/decider/turns/turn.ts:57:12)", null],
  ])("sourcePlace names file and line as the user writes them: %j", (stack, place) => {
    expect(sourcePlace(Object.assign(new Error("no"), { stack }))).toBe(place);
  });

  test("messageOf speaks for whatever was thrown", () => {
    expect(messageOf(new Error("told"))).toBe("told");
    expect(messageOf("text")).toBe("text");
    expect(messageOf(undefined)).toBe("undefined");
  });
});

test("assert stops on what does not hold, unreachable always", () => {
  expect(() => assert(1 + 1 === 2, "sums hold")).not.toThrow();
  expect(() => assert(0, "zero is no proof")).toThrow(new InvariantError("zero is no proof"));
  expect(() => unreachable("lost" as never)).toThrow(InvariantError);
});

test("the system's clock runs its timers, and not those that were canceled", async () => {
  const before = systemClock.monotonicMs();
  let ticks = 0;
  await new Promise<void>((resolve) => {
    const canceled = systemClock.after(1, () => {
      ticks += 100;
    });
    canceled.cancel();
    const period = systemClock.every(1, () => {
      ticks += 1;
      if (ticks < 3) return;
      period.cancel();
      resolve();
    });
  });
  expect(ticks).toBe(3);
  expect(systemClock.monotonicMs()).toBeGreaterThan(before);
  expect(Number.isInteger(systemClock.wallMs())).toBe(true);
});

test("the system's entropy gives as many bytes as asked, never the same twice", () => {
  expect(systemEntropy.bytes(32)).toHaveLength(32);
  expect(hexOf(systemEntropy.bytes(32))).not.toBe(hexOf(systemEntropy.bytes(32)));
});

test("SHA-256 of the empty text, of text and of its bytes", () => {
  expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(sha256Hex(Buffer.from("abc"))).toBe(sha256Hex("abc"));
});

describe("hex", () => {
  test("comes back as it went", () => {
    expect(hexOf(bytesFromHex("00ff10", 3)!)).toBe("00ff10");
  });

  test.each(["00FF10", "0x00ff", "00ff1", "00ff1g", "", "00ff1000"])("%j is not three bytes in lowercase", (text) => {
    expect(bytesFromHex(text, 3)).toBeUndefined();
  });
});
