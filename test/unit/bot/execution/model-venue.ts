// A small exchange for tests of execution: it opens the real envelopes, keeps the rules of nonces (S5) and an order list, and loses,
// delays or turns down what it is told to. Whether a failed transaction takes its nonce, and how a used nonce is answered, is open.

import { ReadError } from "../../../../src/bot/venue/port.ts";
import type { Account, OpenOrders } from "../../../../src/domain/account.ts";
import type { SubmitOutcome, TransactionEvent } from "../../../../src/domain/event.ts";
import type { Lane } from "../../../../src/domain/lane.ts";
import type { Order } from "../../../../src/domain/order.ts";
import { type AccountId, type OrderId, orderId, size } from "../../../../src/domain/units.ts";
import type { Clock } from "../../../../src/kernel/clock.ts";
import { sleep } from "../../../../src/kernel/clock.ts";
import { type OpenedEnvelope, openEnvelope } from "../../../../src/wire/envelope.ts";
import { plainRead } from "../../../support/plain-bot.ts";

/** What happens to one submit. */
export type Fate = {
  /** Ms until the transaction reaches the exchange; null: it never does. */
  readonly arrivesMs: number | null;
  /**
   * `lost`: the sender learns nothing. `notSent`: the sender knows that no byte left. `success`: that word without an event, whether it
   * arrived or not. A number: that HTTP status, not executed.
   */
  readonly answer: "told" | "lost" | "notSent" | "success" | number;
  /** The exchange executes it and it fails. */
  readonly fails?: boolean;
};

export const delivered: Fate = { arrivesMs: 1, answer: "told" };

export type Submitted = OpenedEnvelope & { readonly lane: Lane; readonly atMs: number; readonly body: string };

export type ModelOptions = {
  readonly accountId: AccountId;
  readonly failedTakesNonce: boolean;
  /** How a nonce that is not free is answered: the interface promises no status (S7). */
  readonly usedNonceIs: "rejected" | "refused";
  readonly timeoutMs?: number;
};

export type ModelVenue = ReturnType<typeof modelVenue>;

export function modelVenue(options: ModelOptions, { clock }: { readonly clock: Clock }) {
  const submitted: Submitted[] = [];
  const executed: { readonly opened: OpenedEnvelope; readonly ok: boolean }[] = [];
  const orders = new Map<OrderId, Order>();
  const used = new Map<string, Set<bigint>>();
  const control = {
    fate: (_: Submitted): Fate => delivered,
    readFails: (): boolean => false,
    /** What both lists name instead of what rests now; null: that. */
    past: null as readonly Order[] | null,
    /** Whether the one list or the other hides or changes what it names. */
    accountShows: (listed: readonly Order[]): readonly Order[] => listed,
    ordersShow: (listed: readonly Order[]): readonly Order[] => listed,
    /** Whether answers to cancels name what is canceled. */
    namesCanceled: true,
    nextOrderId: 1n,
    /** Whether the answer of a place names its order. */
    namesOrders: true,
    reads: 0,
  };

  function execute(opened: OpenedEnvelope, fails: boolean): SubmitOutcome {
    const { transaction } = opened;
    const nonces = used.get(opened.signer) ?? new Set<bigint>();
    used.set(opened.signer, nonces);
    const checked = transaction.type !== "CancelOrder";
    const oldest = nonces.size >= 100 ? [...nonces].sort((a, b) => (a < b ? 1 : -1))[99] : undefined;
    if (checked && (nonces.has(opened.nonce) || (oldest !== undefined && opened.nonce <= oldest))) {
      const error = "no";
      return options.usedNonceIs === "refused"
        ? { kind: "refused", hash: "00", error }
        : { kind: "rejected", httpStatus: 400, error };
    }
    const outcome: SubmitOutcome = fails ? { kind: "refused", hash: "00", error: "no" } : run(opened);
    if (checked && (outcome.kind === "executed" || options.failedTakesNonce)) nonces.add(opened.nonce);
    executed.push({ opened, ok: outcome.kind === "executed" });
    return outcome;
  }

  function run({ transaction }: OpenedEnvelope): SubmitOutcome {
    const done = (events: Extract<SubmitOutcome, { kind: "executed" }>["events"]): SubmitOutcome => ({
      kind: "executed",
      hash: "aa",
      events,
    });
    if (transaction.type === "PlaceOrder") {
      const id = orderId(control.nextOrderId);
      control.nextOrderId += 1n;
      const { accountId, marketId, side, price } = transaction;
      orders.set(id, {
        ...transaction,
        orderId: id,
        filledSize: size(0n),
        remainingSize: transaction.size,
        status: "Open",
        createdAtMs: clock.wallMs(),
        updatedAtMs: clock.wallMs(),
      });
      if (!control.namesOrders) return done([]);
      return done([{ type: "orderPlaced", orderId: id, accountId, marketId, side, price, size: transaction.size }]);
    }
    if (transaction.type === "CancelAllOrders") {
      const reached = [...orders.values()].filter(
        ({ marketId }) => transaction.marketId === null || transaction.marketId === marketId,
      );
      return done(reached.flatMap(canceled));
    }
    if (transaction.type !== "CancelOrder" && transaction.type !== "ModifyOrder") throw new Error(transaction.type);
    const order = orders.get(transaction.orderId);
    if (order === undefined) return { kind: "refused", hash: "00", error: "no such order" };
    if (transaction.type === "CancelOrder") return done(canceled(order));
    const price = transaction.newPrice ?? order.price;
    orders.set(order.orderId, { ...order, price });
    const { accountId, marketId, size: whole, remainingSize } = order;
    const changed = { orderId: order.orderId, accountId, marketId, price, size: whole, remainingSize };
    return done([{ type: "orderModified", ...changed }]);
  }

  function canceled({ orderId: id, marketId }: Order): readonly TransactionEvent[] {
    orders.delete(id);
    if (!control.namesCanceled) return [];
    return [{ type: "orderCanceled", orderId: id, accountId: options.accountId, marketId, reason: "UserCanceled" }];
  }

  async function submit(body: string, lane: Lane): Promise<SubmitOutcome> {
    const opened: Submitted = { ...openEnvelope(Buffer.from(body)), lane, atMs: clock.monotonicMs(), body };
    submitted.push(opened);
    const { arrivesMs, answer, fails = false } = control.fate(opened);
    const arrival =
      arrivesMs === null
        ? null
        : sleep(clock, arrivesMs).then(() => (typeof answer === "number" ? null : execute(opened, fails)));
    if (answer === "told") return (await arrival) ?? { kind: "unknown", why: "timeout" };
    if (answer === "notSent") return { kind: "notSent", why: "no connection" };
    await sleep(clock, answer === "lost" ? (options.timeoutMs ?? 50) : 1);
    if (answer === "lost") return { kind: "unknown", why: "timeout" };
    if (answer === "success") return { kind: "executed", hash: "aa", events: [] };
    if (answer === 429) return { kind: "rateLimited", error: "no", retryAfterMs: null };
    return { kind: "rejected", httpStatus: answer, error: "no" };
  }

  async function listed(shows: (listed: readonly Order[]) => readonly Order[]): Promise<readonly Order[]> {
    await sleep(clock, 1);
    if (control.readFails()) throw new ReadError("timeout", "no answer");
    control.reads += 1;
    return shows(control.past ?? [...orders.values()]);
  }
  const account = async (): Promise<Account> =>
    plainRead({ accountId: options.accountId, openOrders: await listed(control.accountShows) });
  const openOrders = async (): Promise<OpenOrders> => ({
    openOrders: await listed(control.ordersShow),
    unreadable: [],
  });

  return { submitted, executed, orders, control, submit, account, openOrders, execute };
}
