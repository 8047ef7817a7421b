// Wrong tokens wait, each longer than the one before; the right one never does.

import { expect, test } from "vitest";
import { Access } from "../../../../src/bot/telemetry/access.ts";
import { microtasks } from "../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";

const TOKEN = "a-token-of-the-test";

function setUp() {
  const clock = createVirtualClock({ startMs: 0, settle: microtasks });
  const access = new Access(
    { host: "127.0.0.1", token: TOKEN, scoped: () => [], requireTokenForReads: false, hosts: [] },
    clock,
  );
  const ask = (token: string, address = "10.0.0.2") => {
    const caller = { method: "POST", path: "/halt", host: "127.0.0.1", origin: undefined, address };
    const asked = { status: 0, afterMs: -1 };
    const startMs = clock.elapsedMs();
    void access.admit({ ...caller, authorization: `Bearer ${token}` }).then((answer) => {
      Object.assign(asked, { status: "why" in answer ? answer.status : 200, afterMs: clock.elapsedMs() - startMs });
    });
    return asked;
  };
  return { clock, ask };
}

test("each wrong token of an address waits twice as long, at most a second; a right one ends that", async () => {
  const { clock, ask } = setUp();
  const waited: number[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    const asked = ask("wrong-token");
    await clock.advance(1500);
    expect(asked.status).toBe(401);
    waited.push(asked.afterMs);
  }
  expect(waited).toEqual([50, 100, 200, 400, 800, 1000, 1000]);
  const [right, elsewhere] = [ask(TOKEN), ask("wrong-token", "10.0.0.3")];
  await clock.advance(1500);
  expect([right, elsewhere]).toEqual([
    { status: 200, afterMs: 0 },
    { status: 401, afterMs: 50 },
  ]);
  const again = ask("wrong-token");
  await clock.advance(1500);
  expect(again.afterMs).toBe(50);
});

test("a flood of wrong tokens holds at most 32 answers back, and the right token passes it", async () => {
  const { clock, ask } = setUp();
  const flood = Array.from({ length: 200 }, () => ask("wrong-token"));
  const right = ask(TOKEN);
  await clock.advance(0);
  expect(flood.filter(({ status }) => status === 0)).toHaveLength(32);
  expect(right.status).toBe(200);
});
