// One account's slots and execution over the model exchange, a ledger in memory and virtual time: what tests of both set up.

import { type BudgetOptions, RateBudget } from "../../../../src/bot/decider/budget.ts";
import type { Output } from "../../../../src/bot/decider/output.ts";
import { recovered } from "../../../../src/bot/decider/recovered.ts";
import { Slots } from "../../../../src/bot/decider/slots.ts";
import { agentKeyOf } from "../../../../src/bot/execution/agent-key.ts";
import { Execution, type ExecutionOptions } from "../../../../src/bot/execution/execution.ts";
import type { ChainTime } from "../../../../src/bot/execution/send-time.ts";
import { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../src/bot/ledger/memory/memory.ts";
import type { LedgerEngine } from "../../../../src/bot/ledger/store.ts";
import { Lines } from "../../../../src/bot/live/lines.ts";
import type { Approved } from "../../../../src/bot/risk/approved.ts";
import { type Command, isCancel, type ModifyCommand, type PlaceCommand } from "../../../../src/domain/command.ts";
import type { ExecutionEvent } from "../../../../src/domain/event.ts";
import { accountId, orderId, price, size } from "../../../../src/domain/units.ts";
import { macrotask } from "../../../../src/kernel/clock.ts";
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
  const options: ExecutionOptions = {
    accountId: account,
    chainId: "test",
    agentKey: keyNamed("one"),
    tooManyRequestsMeans: "rejected",
    landingBoundMs: 90_000,
    readLagMaxMs: 3000,
    ...facts.execution,
  };
  /** Nonces of transactions whose answers named what they did. */
  const shown = new Set<bigint>();
  const outputs: Output[] = [];
  let submits = 0;
  const budget = new RateBudget(facts.budget ?? {}, { clock });
  const slots = new Slots(account, {
    clock,
    budget,
    put: (output) => void outputs.push(output),
    nextSubmit: () => {
      submits += 1;
      return submits;
    },
    judge: (command) => control.recheck(command),
    onDropped: (command, reason) => dropped.push({ command, reason }),
  });
  /** A step of the slots, and what it wants: as machine and driver do it. */
  const step = (run: () => void): void => {
    run();
    for (const output of outputs.splice(0)) {
      if (output.kind === "submit") execution.send(output.submit, output.command, output.causeMs);
      if (output.kind === "line") lines.join(account, output.lane, output.afterMs);
    }
  };
  const lines = new Lines((_, lane) => step(() => slots.start(lane)), { clock });
  const submit = (
    approved: readonly Approved[],
    { marketId, causeMs }: { readonly marketId: number | null; readonly causeMs: number | null } = noTurn,
  ): void => step(() => slots.submit(approved, marketId, causeMs));
  const execution: Execution = new Execution(options, {
    clock,
    venue: { submit: model.submit },
    journal: ledger,
    chainTime,
    admits: () => true,
    fold(event) {
      events.push(event);
      if (event.kind === "answered") budget.learn(event.outcome);
      else if (event.kind === "sent" && (isCancel(event.command) || event.isAgain === true)) budget.take("cancel");
      if (event.kind === "answered" && event.outcome.kind === "executed" && event.outcome.events.length > 0)
        shown.add(event.nonce);
    },
    recovered: (nonce, command) => void events.push(...recovered(nonce, command, clock.monotonicMs())),
    onResolving: (marketId, isResolving) => step(() => slots.resolving(marketId, isResolving)),
    onRefused: (of, reason) => step(() => slots.refused(of, reason, {})),
    onEnded: (of, outcome) => step(() => slots.ended(of, outcome)),
    onSettled: (of) => step(() => slots.settled(of)),
    mayRest: (marketId) => slots.mayRest(marketId),
    ownership: {
      own: () => [...model.orders.values()].filter(({ orderId: id }) => !control.foreign.has(id)),
      isOurs: (id) => id !== null && !control.foreign.has(id),
      isGone: (id) => control.hears && !model.orders.has(id),
      isKeyElsewhere: () => control.isKeyElsewhere,
      foreignMarkets: () =>
        new Set(
          [...model.orders.values()]
            .filter(({ orderId: id }) => control.foreign.has(id))
            .map(({ marketId }) => marketId),
        ),
    },
    isOpen: (nonce) => control.isOpen(nonce) && !shown.has(nonce),
    readAccount: model.account,
    readOrders: model.openOrders,
    observe: {
      onSent: (_, causeMs) => causes.push(causeMs),
      onAnswered: () => {},
      onStep: (_command, step, outcome) => steps.push(`${step} ${outcome}`),
    },
  });
  const close = (): void => {
    lines.close();
    execution.close();
  };
  return { clock, disk, ledger, model, events, dropped, steps, causes, control, slots, submit, execution, close };
}

/** A world that has its first reservation. */
export async function startedWorld(facts: Parameters<typeof createWorld>[0] = {}): Promise<World> {
  const world = createWorld(facts);
  world.execution.start();
  await world.clock.advance(1);
  return world;
}

/** Kinds of the folded events, with their outcome or verdict. */
export const told = (events: readonly ExecutionEvent[]): readonly string[] =>
  events.map((event) => {
    if (event.kind === "answered") return `${event.command.kind} ${event.outcome.kind}`;
    return event.kind === "resolved" ? `${event.command.kind} ${event.verdict}` : `${event.command.kind} sent`;
  });
