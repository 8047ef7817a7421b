// What the machine sends of one account, cancels and resolves, and its execution, over the model exchange, a ledger in memory and virtual time.

import { test as base } from "vitest";
import type { MassCancelResult, OrderOwnership } from "../../../../src/bot/decider/acting/mass-cancel.ts";
import { recovered } from "../../../../src/bot/decider/acting/recovered.ts";
import { MassCancels, type WantedMassCancel } from "../../../../src/bot/decider/acting/start-mass-cancel.ts";
import { Unknowns } from "../../../../src/bot/decider/acting/unknowns.ts";
import type { Output } from "../../../../src/bot/decider/output.ts";
import type { BudgetOptions } from "../../../../src/bot/decider/sends/budget.ts";
import { Sends } from "../../../../src/bot/decider/sends/sends.ts";
import { Timers } from "../../../../src/bot/decider/timers.ts";
import type { Answer, Work } from "../../../../src/bot/decider/work.ts";
import { agentKeyOf } from "../../../../src/bot/execution/agent-key.ts";
import { Execution, type ExecutionOptions } from "../../../../src/bot/execution/execution.ts";
import type { ChainTime } from "../../../../src/bot/execution/send-time.ts";
import { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../src/bot/ledger/memory/memory.ts";
import type { LedgerEngine } from "../../../../src/bot/ledger/store.ts";
import { Lines } from "../../../../src/bot/live/lines.ts";
import type { Approved } from "../../../../src/bot/risk/approved.ts";
import type {
  CancelAllCommand,
  CancelCommand,
  Command,
  ModifyCommand,
  PlaceCommand,
} from "../../../../src/domain/command.ts";
import type { ExecutionEvent, SubmitOutcome } from "../../../../src/domain/event.ts";
import type { Recovered, Submitted } from "../../../../src/domain/submit.ts";
import { type AccountId, accountId, orderId, price, size } from "../../../../src/domain/units.ts";
import { assert } from "../../../../src/kernel/assert.ts";
import { macrotask, type Timer } from "../../../../src/kernel/clock.ts";
import { messageOf } from "../../../../src/kernel/errors.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { keyedHashSigner } from "../../../../src/wire/signing-simulated.ts";
import { plainPlace } from "../../../support/plain-bot.ts";
import { type ModelOptions, type ModelVenue, modelVenue } from "./model-venue.ts";

export const startMs = 1_790_000_000_000;
export const account = accountId(12n);
export const keyNamed = (name: string) => agentKeyOf(keyedHashSigner(Buffer.from(name)));

export const place = (facts: Partial<PlaceCommand> = {}): Approved<PlaceCommand> =>
  approve(plainPlace({ accountId: account, price: price(21_694_000_000n), size: size(500_000n), ...facts }));

export const cancel = (id: bigint, marketId = 1) =>
  approve({ kind: "cancel", accountId: account, marketId, orderId: orderId(id) });

export const modify = (
  id: bigint,
  {
    newPrice = 21_600_000_000n,
    ...facts
  }: Partial<Omit<ModifyCommand, "newPrice">> & { readonly newPrice?: bigint } = {},
) =>
  approve({
    kind: "modify",
    accountId: account,
    marketId: 1,
    orderId: orderId(id),
    side: "buy",
    reduceOnly: false,
    newPrice: price(newPrice),
    newSize: null,
    level: 0,
    ...facts,
  });

const noTurn = { marketId: null, causeMs: null };

/** What the guard would give: tests of execution are not about judging. */
export function approve<C extends Command>(command: C): Approved<C> {
  return command as Approved<C>;
}

export type World = ReturnType<typeof createWorld>;

export function createWorld(
  facts: {
    readonly model?: Partial<ModelOptions>;
    readonly execution?: Partial<ExecutionOptions>;
    readonly budget?: Partial<BudgetOptions>;
    readonly disk?: MemoryDisk;
    /** Of an earlier run, when time goes on. */
    readonly clock?: VirtualClock;
    readonly failing?: () => string | null;
    /** Of an earlier run, where the exchange goes on. */
    readonly exchange?: ModelVenue;
    /** Instead of the disk in memory. */
    readonly engine?: LedgerEngine;
  } = {},
) {
  const clock = facts.clock ?? createVirtualClock({ startMs, settle: macrotask });
  const flush = (): Promise<void> => Promise.resolve();
  const disk = facts.disk ?? new MemoryDisk({ failing: facts.failing ?? (() => null), flush });
  const ledger = new Ledger({}, { engine: facts.engine ?? disk.open(), clock });
  const rules = { accountId: account, failedTakesNonce: true, usedNonceIs: "rejected", ...facts.model } as const;
  const model = facts.exchange ?? modelVenue(rules, { clock });
  const events: ExecutionEvent[] = [];
  const dropped: { readonly command: Command; readonly reason: string }[] = [];
  const steps: string[] = [];
  const causes: (number | null)[] = [];
  const settled: bigint[] = [];
  /** All that passes between the machine and execution. */
  const passed: (Output | Submitted | Recovered)[] = [];
  const control = {
    chain: { offsetMs: 0 } as { readonly offsetMs: number } | null,
    recheck: (command: Command): Approved<Command> | null => approve(command),
    /** Whether nobody has told what became of the transaction with this nonce. */
    isOpen: (_nonce: bigint): boolean => true,
    /** Orders that are not ours, and what the exchange lists. */
    foreign: new Set<bigint>(),
    /** Whether the end of each order is heard of, by an event. */
    hears: true,
    isKeyElsewhere: false,
  };
  const chainTime = (): ChainTime | null =>
    control.chain === null
      ? null
      : { timeMs: clock.wallMs() + control.chain.offsetMs, offsetMsMax: 1500, ...control.chain };
  /** Nonces of transactions whose answers named what they did. */
  const shown = new Set<bigint>();
  const isOpen = (nonce: bigint): boolean => control.isOpen(nonce) && !shown.has(nonce);

  const outputs: Output[] = [];
  const put = (output: Output): void => void outputs.push(output);
  const wakes = new Set<Timer>();
  let isClosed = false;
  /** A step, and what it wants: as machine and driver do it. */
  const step = (run: () => void): void => {
    if (isClosed) return;
    run();
    for (const output of outputs.splice(0)) carryOut(output);
  };
  const carryOut = (output: Output): void => {
    passed.push(output);
    if (output.kind === "submit") execution.send(output.submit, output.command, output.by, output.causeMs);
    if (output.kind === "line") lines.join(account, output.lane, output.afterMs);
    if (output.kind === "wake")
      wakes.add(clock.after(output.atMs - clock.monotonicMs(), () => step(() => timers.runDue())));
    if (output.kind === "settled") execution.settled(output.signer, output.nonce, output.intentIds, output.end);
    if (output.kind === "record") ledger.keep(output.record);
  };
  const timers = new Timers({ clock, put });
  const sends = new Sends(
    { accounts: [{ accountId: account }], budget: facts.budget ?? {} },
    {
      clock,
      put,
      judge: (command) => control.recheck(command),
      onDropped: (command, reason) => dropped.push({ command, reason }),
    },
  );
  const { slots } = sends.of(account);
  const lines = new Lines((_, lane) => step(() => slots.start(lane)), { clock });
  const listed =
    <T>(read: () => Promise<T>) =>
    (_: AccountId, onEnd: (answer: Answer<T>) => void): void =>
      void read().then(
        (value) => step(() => onEnd({ value })),
        (error: unknown) => step(() => onEnd({ why: messageOf(error) })),
      );
  const work: Pick<Work, "clock" | "after" | "cancel" | "readAccount" | "listOrders"> = {
    clock,
    after: timers.after,
    cancel: sends.cancel,
    readAccount: listed(() => model.account()),
    listOrders: listed(() => model.openOrders()),
  };
  const isOurs = (id: bigint): boolean => !control.foreign.has(id);
  const ownership: OrderOwnership = {
    own: () => [...model.orders.values()].filter(({ orderId: id }) => isOurs(id)),
    isOurs: (id) => id !== null && isOurs(id),
    isGone: (id) => control.hears && !model.orders.has(id),
    isKeyElsewhere: () => control.isKeyElsewhere,
    foreignMarkets: () =>
      new Set([...model.orders.values()].flatMap(({ orderId: id, marketId }) => (isOurs(id) ? [] : marketId))),
  };
  const unknowns = new Unknowns(
    { accountId: account, landingBoundMs: 90_000 },
    {
      clock,
      work,
      put,
      slots,
      chainTimeMs: () => chainTime()?.timeMs ?? null,
      isOpen,
      foreignMarkets: ownership.foreignMarkets,
      fold: (event) => events.push(event),
      onStep: (_, name, outcome) => steps.push(`${name} ${outcome}`),
    },
  );
  const massCancels = new MassCancels({
    work,
    readLagMaxMs: 3000,
    ownership: () => ownership,
    mayRest: (_, marketId) => slots.mayRest(marketId) + unknowns.pending(marketId),
  });
  const hear = (event: ExecutionEvent): void => {
    sends.heard(event);
    events.push(event);
    if (event.kind === "answered" && event.outcome.kind === "executed" && event.outcome.events.length > 0)
      shown.add(event.nonce);
  };
  const options: ExecutionOptions = {
    accountId: account,
    chainId: "test",
    agentKey: keyNamed("one"),
    tooManyRequestsMeans: "rejected",
    ...facts.execution,
  };
  const execution: Execution = new Execution(options, {
    clock,
    venue: { submit: model.submit },
    journal: ledger,
    chainTime,
    admits: () => true,
    isOpen,
    sent: (event) => step(() => hear(event)),
    answered: (event, submitted) =>
      step(() => {
        passed.push(submitted);
        hear(event);
        if (event.kind !== "answered") return;
        const { command, nonce, outcome } = event;
        if (sends.answered(command, outcome, submitted) && outcome.kind === "unknown")
          unknowns.take({ ...submitted, nonce, command, intentIds: [submitted.intentId] });
      }),
    settled: (nonce) => settled.push(nonce),
    recovered: (open) =>
      step(() => {
        passed.push(open);
        events.push(...recovered(open.nonce, open.command, clock.monotonicMs()));
        unknowns.take({ ...open, submit: null });
      }),
    refused: (submit, reason, of) => step(() => sends.refused(account, submit, reason, of)),
    observe: { onSent: (_, causeMs) => causes.push(causeMs), onAnswered: () => {} },
  });
  return {
    clock,
    disk,
    ledger,
    model,
    events,
    dropped,
    steps,
    causes,
    settled,
    passed,
    control,
    slots,
    execution,
    submit: (
      approved: readonly Approved[],
      { marketId, causeMs }: { readonly marketId: number | null; readonly causeMs: number | null } = noTurn,
    ): void => step(() => slots.submit(approved, marketId, causeMs)),
    /** Sends a cancel beside any slot. */
    cancelBeside: (command: CancelCommand | CancelAllCommand): Promise<SubmitOutcome> =>
      new Promise((resolve) => step(() => sends.cancel(command, null, ({ outcome }) => resolve(outcome)))),
    massCancel(wanted: WantedMassCancel, isOver = (): boolean => false): Promise<MassCancelResult> {
      let ends = 0;
      return new Promise((resolve) =>
        step(() =>
          massCancels.start(account, wanted, isOver, (result) => {
            ends += 1;
            assert(ends === 1, "a mass cancel ends once");
            resolve(result);
          }),
        ),
      );
    },
    /** `underWay`: cancels beside any slot that are not answered; `unknown`: transactions whose fate is not known. */
    status: () => ({
      ...execution.status(),
      underWay: sends.ownUnderWay(account),
      unknown: unknowns.pending(null),
    }),
    close(): void {
      isClosed = true;
      for (const wake of wakes) wake.cancel();
      lines.close();
      execution.close();
    },
  };
}

/** A test that is given a started world of its own. */
export const test = base.extend("world", () => startedWorld());

/** A world that has its first reservation. */
export async function startedWorld(facts: Parameters<typeof createWorld>[0] = {}): Promise<World> {
  const world = createWorld(facts);
  world.execution.start();
  await world.clock.advance(1);
  return world;
}

/** Fifty orders rest in two markets. */
export async function quoting(count = 50): Promise<World> {
  const world = await startedWorld({ budget: { startPerSec: 1000, maxPerSec: 1000 } });
  for (let n = 0; n < count; n += 1) {
    world.submit([place({ level: n, marketId: 1 + (n % 2), side: n % 3 === 0 ? "buy" : "sell" })]);
    await world.clock.advance(2);
  }
  assert(world.model.orders.size === count, "every order rests");
  return world;
}

/** How a mass cancel ends, and how long that takes; `clearMs`: until nothing rested. */
export async function ended<R extends MassCancelResult>(
  world: World,
  run: () => Promise<R>,
  mostMs: number,
): Promise<R & { readonly tookMs: number; readonly clearMs: number | null }> {
  const startMs = world.clock.elapsedMs();
  let result: R | null = null;
  let clearMs: number | null = null;
  void run().then((given) => {
    result = given;
  });
  while (result === null && world.clock.elapsedMs() - startMs < mostMs) {
    await world.clock.advance(5);
    if (clearMs === null && world.model.orders.size === 0) clearMs = world.clock.elapsedMs() - startMs;
  }
  if (result === null) throw new Error(`no result after ${mostMs} ms`);
  return { ...(result as R), tookMs: world.clock.elapsedMs() - startMs, clearMs };
}

/** Kinds of the folded events, with their outcome or verdict. */
export const told = (events: readonly ExecutionEvent[]): readonly string[] =>
  events.map((event) => {
    if (event.kind === "answered") return `${event.command.kind} ${event.outcome.kind}`;
    return event.kind === "resolved" ? `${event.command.kind} ${event.verdict}` : `${event.command.kind} sent`;
  });
