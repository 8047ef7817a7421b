// Cancels beside any slot, and what is sent once more by the other clock: a cancel and a reduction, and never a third time.

import { beforeEach, describe, expect, test } from "vitest";

import type { Output } from "../../../../../src/bot/decider/output.ts";
import { Sends } from "../../../../../src/bot/decider/sends/sends.ts";
import type { SubmitEnd } from "../../../../../src/bot/decider/work.ts";
import type { Command } from "../../../../../src/domain/command.ts";
import type { SubmitOutcome } from "../../../../../src/domain/event.ts";
import type { SendBy, Submitted } from "../../../../../src/domain/submit.ts";
import { accountId, nonce } from "../../../../../src/domain/units.ts";
import { account, approve, cancel, modify, place } from "../../execution/world.ts";

const other = accountId(99n);
const executed: SubmitOutcome = { kind: "executed", hash: "", events: [] };
const rejected: SubmitOutcome = { kind: "rejected", httpStatus: 400, error: "" };
const lost: SubmitOutcome = { kind: "unknown", why: "timeout" };
const cancelAll = { kind: "cancelAll", accountId: account, marketId: 1, fences: null } as const;
const fence = { ...cancelAll, fences: nonce(7n) };
const byKey: SendBy = { signer: "former", nonce: nonce(7n), isOtherTime: false };

let sends: Sends;
let outputs: Output[];
let ends: SubmitEnd[];
let dropped: string[];
beforeEach(() => {
  outputs = [];
  ends = [];
  dropped = [];
  const clock = { monotonicMs: () => 0, wallMs: () => 0 };
  sends = new Sends(
    { accounts: [{ accountId: account }, { accountId: other }] },
    {
      clock,
      put: (output) => outputs.push(output),
      judge: approve,
      onDropped: (_, reason) => dropped.push(reason),
    },
  );
});

const submits = () => outputs.flatMap((output) => (output.kind === "submit" ? [output] : []));
const settled = () => outputs.filter(({ kind }) => kind === "settled");
/** As what the last submit was sent. */
const sentAs = (facts: Partial<Submitted> = {}): Submitted => ({
  submit: submits().at(-1)?.submit ?? 0,
  nonce: nonce(50n),
  signer: "now",
  timestampSec: 1,
  intentId: 3,
  hasOtherTime: false,
  ...facts,
});
const cancelBeside = (command: Parameters<Sends["cancel"]>[0], by: SendBy | null = null): void =>
  sends.cancel(command, by, (end) => ends.push(end));
const submit = (command: Command): void => sends.of(account).slots.submit([approve(command)], null, null);

describe("a cancel beside any slot", () => {
  test.each([cancel(5n), cancelAll])("is sent at once, whatever its slot has under way: %o", (command) => {
    submit(command);
    cancelBeside(command);
    sends.of(account).slots.stop();
    cancelBeside(command);
    expect(submits().map((each) => each.command)).toEqual([command, command, command]);
    expect(new Set(submits().map((each) => each.submit)).size).toBe(3);
    expect(dropped).toEqual([]);
  });

  test("goes by the key, the nonce and the clock that it was given", () => {
    cancelBeside(fence, byKey);
    expect(submits()).toMatchObject([{ command: fence, by: byKey, causeMs: null }]);
  });

  test("counts until it is answered, for its account", () => {
    cancelBeside(cancelAll);
    cancelBeside(cancel(5n));
    expect([sends.ownUnderWay(account), sends.ownUnderWay(other)]).toEqual([2, 0]);
    expect(sends.of(account).slots.underWay).toBe(0);
    sends.answered(cancel(5n), executed, sentAs());
    expect(sends.ownUnderWay(account)).toBe(1);
  });

  test("tells its end once, which is no slot's", () => {
    cancelBeside(cancel(5n));
    const as = sentAs();
    expect(sends.answered(cancel(5n), executed, as)).toBe(false);
    sends.answered(cancel(5n), executed, as);
    expect(ends).toEqual([{ outcome: executed, submitted: as }]);
    expect(settled()).toEqual([]);
  });

  test("that is not sent tells why, and no slot hears of it", () => {
    cancelBeside(cancelAll);
    sends.refused(account, sentAs().submit, "closed", {});
    expect(ends).toEqual([{ outcome: { kind: "notSent", why: "closed" }, submitted: null }]);
    expect([sends.ownUnderWay(account), dropped]).toEqual([0, []]);
  });

  test.each([cancel(5n), cancelAll])("that is lost is settled: nothing depends on it: %o", (command) => {
    cancelBeside(command);
    sends.answered(command, lost, sentAs());
    expect(ends).toMatchObject([{ outcome: lost }]);
    const { nonce: of, signer, intentId } = sentAs();
    const end = "harmless";
    expect(settled()).toEqual([{ kind: "settled", accountId: account, signer, nonce: of, intentIds: [intentId], end }]);
  });

  test("forbidden: a lost fence is not settled, whose nonce is that of a doubt", () => {
    cancelBeside(fence, byKey);
    sends.answered(fence, lost, sentAs());
    expect(ends).toMatchObject([{ outcome: lost, submitted: { intentId: 3 } }]);
    expect(settled()).toEqual([]);
  });
});

describe("rejected where the other clock says another time", () => {
  const isOtherTime = true;

  test.each([cancel(5n), cancelAll, place({ reduceOnly: true })])(
    "once more by it, under the same number, and never a third time: %o",
    (command) => {
      submit(command);
      const first = sentAs({ hasOtherTime: true });
      expect(sends.answered(command, rejected, first)).toBe(false);
      expect(submits()).toMatchObject([
        { by: null },
        { submit: first.submit, command, by: { signer: null, nonce: null, isOtherTime } },
      ]);
      expect(sends.of(account).slots.underWay, "its slot stays taken").toBe(1);
      expect(sends.answered(command, rejected, sentAs())).toBe(true);
      expect(submits()).toHaveLength(2);
      expect(sends.of(account).slots.underWay).toBe(0);
    },
  );

  test("beside a slot: its end is the second one's", () => {
    cancelBeside(cancelAll);
    sends.answered(cancelAll, rejected, sentAs({ hasOtherTime: true }));
    expect([ends, sends.ownUnderWay(account)]).toEqual([[], 1]);
    const second = sentAs({ nonce: nonce(51n) });
    sends.answered(cancelAll, rejected, second);
    expect(ends).toEqual([{ outcome: rejected, submitted: second }]);
    expect(submits()).toHaveLength(2);
  });

  test("a fence keeps its key and its nonce", () => {
    cancelBeside(fence, byKey);
    sends.answered(fence, rejected, sentAs({ hasOtherTime: true }));
    expect(submits().at(-1)?.by).toEqual({ ...byKey, isOtherTime });
  });

  test.each([place(), modify(5n)])("forbidden: what may raise exposure is sent again: %o", (command) => {
    submit(command);
    expect(sends.answered(command, rejected, sentAs({ hasOtherTime: true }))).toBe(true);
    expect(submits()).toHaveLength(1);
    expect(sends.of(account).slots.underWay).toBe(0);
  });

  test.each([executed, lost, { kind: "refused", hash: "", error: "" } as const, { kind: "notSent", why: "" } as const])(
    "forbidden: what may have been executed, or has not left, is sent again: %o",
    (outcome) => {
      submit(cancel(5n));
      sends.answered(cancel(5n), outcome, sentAs({ hasOtherTime: true }));
      expect(submits()).toHaveLength(1);
    },
  );

  test("forbidden: a rejection while the clocks agree is sent again", () => {
    cancelBeside(cancelAll);
    sends.answered(cancelAll, rejected, sentAs());
    expect(submits()).toHaveLength(1);
  });
});

describe("the budget", () => {
  const left = () => sends.of(account).budget.remaining("cancel");
  const sent = (command: Command, isAgain = false) =>
    sends.heard({ kind: "sent", nonce: nonce(1n), command, isAgain, receivedMs: 0 });

  test("takes a cancel's share once: as its slot sends it, or as it is heard of beside any slot", () => {
    const before = left();
    submit(cancel(5n));
    sent(cancel(5n));
    expect(left()).toBe(before - 1);
    sends.answered(cancel(5n), executed, sentAs());
    cancelBeside(cancel(5n));
    sent(cancel(5n));
    expect(left()).toBe(before - 2);
  });

  test("takes another for what goes once more", () => {
    submit(place({ reduceOnly: true }));
    const before = left();
    sent(place({ reduceOnly: true }));
    expect(left()).toBe(before);
    sent(place({ reduceOnly: true }), true);
    expect(left()).toBe(before - 1);
  });
});
