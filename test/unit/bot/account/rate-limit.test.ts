// The exchange's count of requests as the account holds it: read now and then, and counted down in between.

import { expect } from "vitest";
import { requestBudgetOf } from "../../../../src/domain/request-budget.ts";
import { ME, placeCommand, type Scene, test } from "../scene.ts";

const shown = (requestsRemaining: bigint | null) => ({ requestsCap: null, requestsUsed: null, requestsRemaining });
const read = ({ tell }: Scene, remaining: bigint | null) =>
  tell({ kind: "rateLimitRead", accountId: ME, rateLimit: shown(remaining) });
const left = ({ state }: Scene) => {
  const held = state.accounts.get(ME)?.rateLimit ?? null;
  return held && (requestBudgetOf(held.value)?.remaining ?? null);
};

test("each request that leaves is counted off, cancels too, until it is read again", ({ scene }) => {
  read(scene, 100n);
  scene.place(1n);
  const cancelAll = { kind: "cancelAll", accountId: ME, marketId: null, fences: null } as const;
  scene.tell({ kind: "sent", nonce: 2n as never, command: cancelAll });
  expect(left(scene)).toBe(98n);
  read(scene, 250n);
  expect(left(scene)).toBe(250n);
});

test("edge: where none is shown, or none was read, there is nothing to count", ({ scene }) => {
  scene.tell({ kind: "sent", nonce: 1n as never, command: placeCommand() });
  expect(left(scene)).toBe(null);
  read(scene, null);
  scene.place(2n);
  expect(left(scene)).toBe(null);
});
