// The log: JSON for machines, sentences for people, and no way for a secret to get in through a fact or an error.

import { describe, expect, test } from "vitest";
import { agentKeyOf } from "../../../../src/bot/execution/agent-key.ts";
import { createLog } from "../../../../src/bot/telemetry/log.ts";
import { LOG_LEVELS, type LogLevel } from "../../../../src/bot/telemetry/log-level.ts";
import { CodedError } from "../../../../src/kernel/errors.ts";
import { createSigner } from "../../../../src/wire/signing.ts";

const AT_MS = Date.UTC(2026, 10, 20, 12, 34, 56, 789);
const SECRET = "5ec7e7".repeat(10);

function logged(level: LogLevel, terminal: boolean) {
  const lines: string[] = [];
  const log = createLog(level, { write: (text) => lines.push(text), terminal, wallMs: () => AT_MS });
  return { log, lines };
}

test.each([false, true])("words of others move no cursor and start no line, terminal %s", (terminal) => {
  const { log, lines } = logged("info", terminal);
  const name = "USA\u001b[2J\u009b1A\n12:00:00   forged\u202e";
  log.warn({ event: "x", name, err: new Error(name) }, `market ${name}`);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[ -~\u2026]*\n$/);
  if (!terminal) expect(JSON.parse(lines[0] ?? "")).toMatchObject({ name, err: { message: name } });
});

describe("for machines", () => {
  test("a line of JSON with level, time, event, facts and words", () => {
    const { log, lines } = logged("info", false);
    log.warn({ event: "order.late", account: "12", ageMs: 1500 }, "an order came late");
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith("\n")).toBe(true);
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      level: "warn",
      time: AT_MS,
      event: "order.late",
      account: "12",
      ageMs: 1500,
      msg: "an order came late",
    });
  });

  test.each(LOG_LEVELS)("level %s lets its own and the graver ones through", (level) => {
    const { log, lines } = logged(level, false);
    for (const each of LOG_LEVELS) log[each]({ event: "e" }, each);
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(
      LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)),
    );
  });

  test("an error is its message, code and causes, without a stack and without end", () => {
    const { log, lines } = logged("info", false);
    const cause = new Error("the disk is full");
    log.error({ event: "x", err: new CodedError("unwritable", "it cannot be written", { cause }) }, "failed");
    log.error({ event: "x", err: new Error("long ".repeat(1000)) }, "failed");
    const [first, second] = lines.map((line) => (JSON.parse(line) as { err: { message: string } }).err);
    expect(first).toEqual({
      message: "it cannot be written",
      code: "unwritable",
      cause: { message: "the disk is full" },
    });
    expect(second?.message).toHaveLength(500);
    expect(lines.join("")).not.toContain(".ts:");
  });

  test("what was thrown and is no error is its text", () => {
    const { log, lines } = logged("info", false);
    log.error({ event: "x", err: "just words" }, "failed");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ err: { message: "just words" } });
  });
});

describe("secrets", () => {
  test.each(["key", "seed", "secret", "token"])("a field named %s within a fact is redacted", (name) => {
    const { log, lines } = logged("info", false);
    log.info({ event: "x", account: { [name]: SECRET, id: "12" } }, "words");
    expect(lines.join("")).not.toContain(SECRET);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ account: { [name]: "[redacted]", id: "12" } });
  });

  test.each([false, true])("an agent key shows its name alone, terminal %s", (terminal) => {
    const seed = new Uint8Array(32).fill(0x5e);
    const key = agentKeyOf(createSigner(seed));
    const { log, lines } = logged("debug", terminal);
    log.info({ event: "x", agent: key, keys: [key], nested: { deep: { key } } }, `signs as ${key}`);
    const text = lines.join("");
    expect(text).toContain(key.fingerprint);
    expect(text).not.toContain("5e5e5e5e5e");
    expect(text).not.toContain(Buffer.from(seed).toString("base64").slice(0, 12));
    expect(text).not.toContain("94,94,94");
  });

  test("no field of an error but message and code is written", () => {
    const { log, lines } = logged("info", false);
    log.error(
      { event: "x", err: Object.assign(new Error("failed"), { headers: { authorization: SECRET } }) },
      "failed",
    );
    expect(lines.join("")).not.toContain(SECRET);
  });
});

describe("for people", () => {
  test("time, a mark for what needs attention, and the words", () => {
    const { log, lines } = logged("debug", true);
    for (const level of LOG_LEVELS) log[level]({ event: "e", ageMs: 5 }, `${level} it is`);
    expect(lines).toEqual([
      "12:34:56 · debug it is\n",
      "12:34:56   info it is\n",
      "12:34:56 ! warn it is\n",
      "12:34:56 ✗ error it is\n",
    ]);
  });

  test("an error's message follows", () => {
    const { log, lines } = logged("info", true);
    log.error({ event: "e", err: new Error("the door is shut") }, "it did not start");
    expect(lines).toEqual(["12:34:56 ✗ it did not start: the door is shut\n"]);
  });

  test("but not where the words have it already", () => {
    const { log, lines } = logged("info", true);
    log.error({ event: "e", err: new Error("line 1\nline 2") }, "the file is wrong: line 1; line 2");
    expect(lines).toEqual(["12:34:56 ✗ the file is wrong: line 1; line 2\n"]);
  });
});
