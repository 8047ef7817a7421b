// What recurs has one line a minute and cause; what was left out is counted, and there at the level debug.

import { expect, test } from "vitest";
import { createLog } from "../../../../src/bot/telemetry/log.ts";
import type { LogLevel } from "../../../../src/bot/telemetry/log-level.ts";

function scene(level: LogLevel = "info") {
  let nowMs = 1_790_000_000_000;
  const lines: string[] = [];
  const log = createLog(level, { write: (line) => lines.push(line), terminal: false, wallMs: () => nowMs });
  const said = () => lines.map((line) => JSON.parse(line) as { level: string; msg: string; leftOut?: number });
  return { log, said, advance: (ms: number) => (nowMs += ms) };
}
const ended = (reason: string) => ({ event: "stream.streamEnded", reason });

test("one line a minute, and the next one tells how many there were", () => {
  const { log, said, advance } = scene();
  for (let nth = 0; nth < 600; nth += 1) {
    log.warn(ended("refused"), "no stream opens");
    advance(100);
  }
  expect(said()).toHaveLength(1);
  log.warn(ended("refused"), "no stream opens");
  expect(said()[1]).toMatchObject({ msg: "no stream opens (599 more since the last such line)", leftOut: 599 });
  advance(60_000);
  log.warn(ended("refused"), "no stream opens");
  expect(said()[2]).toMatchObject({ msg: "no stream opens" });
});

test("each cause has its own", () => {
  const { log, said } = scene();
  for (const reason of ["refused", "closed", "refused"]) log.warn(ended(reason), reason);
  for (const account of ["12", "13", "12"]) log.warn({ event: "submit.unknown", account, why: account }, "lost");
  expect(said()).toHaveLength(4);
});

test("an event of another kind is there each time, and so is one of information", () => {
  const { log, said } = scene();
  for (let nth = 0; nth < 3; nth += 1) log.error({ event: "latch.tripped" }, "halted");
  for (let nth = 0; nth < 3; nth += 1) log.info(ended("requested"), "by us");
  expect(said()).toHaveLength(6);
});

test("what is left out is there at the level debug", () => {
  const { log, said } = scene("debug");
  for (let nth = 0; nth < 3; nth += 1) log.warn(ended("refused"), "no stream opens");
  expect(said().map(({ level }) => level)).toEqual(["warn", "debug", "debug"]);
});

test("a clock that is set back hides nothing for longer than a minute", () => {
  const { log, said, advance } = scene();
  log.warn(ended("refused"), "x");
  advance(-86_400_000);
  log.warn(ended("refused"), "x");
  expect(said()).toHaveLength(2);
});

test("however many causes the other end names, the log stays bounded", () => {
  const { log, said } = scene();
  for (let nth = 0; nth < 5000; nth += 1) log.warn({ event: "stream.frameIgnored", type: `t${nth}` }, "ignored");
  expect(said().length).toBeLessThan(210);
});
