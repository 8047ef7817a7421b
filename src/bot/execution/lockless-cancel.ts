// A mass cancel beside a daemon, or after its end: order by order with CancelOrder, whose nonce is neither checked nor committed (S5), so
// it needs no journal, allocator or lock, and a daemon cannot block it. With a separate key it may begin with CancelAllOrders, which needs
// no read either.

import type { OpenOrders } from "../../domain/account.ts";
import type { SubmitOutcome } from "../../domain/event.ts";
import { type AccountId, type MarketId, type Nonce, nonce, type OrderId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { sealEnvelope } from "../../wire/envelope.ts";
import { encodeTransaction, type Transaction } from "../../wire/transaction.ts";
import {
  defaultMassCancel,
  type MassCancelModules,
  type MassCancelOptions,
  type MassCancelResult,
  massCancel,
  type RemainingOrder,
} from "../decider/acting/mass-cancel.ts";
import { cancelTiming, marketTiming } from "../timing.ts";
import type { Venue } from "../venue/port.ts";
import type { AgentKey } from "./agent-key.ts";
import { Pauses } from "./pauses.ts";
import { type ChainTime, sendTimes } from "./send-time.ts";

export type LocklessCancelOptions = Pick<MassCancelOptions, "readLagMaxMs"> & {
  readonly accountId: AccountId;
  readonly chainId: string;
  readonly agentKey: AgentKey;
  /** Orders that stay. */
  readonly keep?: ReadonlySet<OrderId>;
  /** Orders that may rest, by local knowledge: each is canceled, whatever the lists name. */
  readonly own?: () => readonly RemainingOrder[];
  /** Transactions that may still become orders. */
  readonly unresolved?: () => number;
  readonly deadlineMs?: number;
  /** Default `readLagMaxMs`: beside a daemon, orders may rest that we cannot name. */
  readonly listsAfterMs?: number;
  readonly isOver?: () => boolean;
  /** Chain time minus local wall time as last known; without it the exchange is asked first. */
  readonly offsetMs?: number;
  /** With CancelAllOrders, where nothing is to be kept; only for a key with which nobody else signs now. */
  readonly begin?: "cancelAll";
};

/** `canceled`: orders with an executed cancel. */
export type LocklessCancelResult = MassCancelResult & { readonly canceled: number };

type LocklessCancelModules = { readonly clock: Clock; readonly venue: Pick<Venue, "reads" | "submit"> };

/** Never rejects. */
export async function locklessCancel(
  options: LocklessCancelOptions,
  modules: LocklessCancelModules,
): Promise<LocklessCancelResult> {
  const { accountId, readLagMaxMs, listsAfterMs = readLagMaxMs, keep = new Set() } = options;
  const { own = () => [], unresolved = () => 0, isOver = () => false } = options;
  const { deadlineMs = defaultMassCancel.deadlineMs } = options;
  const { isBlind } = defaultMassCancel;
  const { clock, venue } = modules;
  const send = await locklessSender(options, modules);
  const canceled = new Set<OrderId>();
  /** Orders named by an OrderCanceled in an answer. */
  const gone = new Set<OrderId>();
  async function cancel(transaction: Cancel): Promise<SubmitOutcome> {
    const outcome = await send(transaction);
    if (outcome.kind !== "executed") return outcome;
    if (transaction.type === "CancelOrder") canceled.add(transaction.orderId);
    for (const event of outcome.events) {
      if (event.type !== "orderCanceled") continue;
      gone.add(event.orderId);
      canceled.add(event.orderId);
    }
    return outcome;
  }
  const isOneByOne = options.begin === undefined || keep.size > 0;
  const result = await untilEnded(
    { scope: { orders: "ours", marketId: null }, deadlineMs, readLagMaxMs, listsAfterMs, isBlind },
    {
      clock,
      after: clock.after,
      lists: [listing(() => venue.reads.account(accountId)), listing(() => venue.reads.orders(accountId))],
      own,
      isOurs: (orderId) => orderId === null || !keep.has(orderId),
      isGone: (orderId) => gone.has(orderId),
      foreignMarkets: () => new Set(),
      isKeyElsewhere: () => false,
      cancel: ({ orderId }, onEnd) => void cancel({ type: "CancelOrder", orderId }).then(onEnd),
      cancelAll: isOneByOne
        ? null
        : (marketId: MarketId | null, onEnd) => void cancel({ type: "CancelAllOrders", marketId }).then(onEnd),
      unresolved,
      isOver,
    },
  );
  return { ...result, canceled: canceled.size };
}

const untilEnded = (options: MassCancelOptions, modules: MassCancelModules): Promise<MassCancelResult> =>
  new Promise((resolve) => massCancel(options, modules, resolve));

const listing =
  (read: () => Promise<OpenOrders>): MassCancelModules["lists"][number] =>
  (onEnd) =>
    void read().then(
      (value) => onEnd({ value }),
      (error: unknown) => onEnd({ why: messageOf(error) }),
    );

type Cancel = Extract<Transaction, { readonly type: "CancelOrder" | "CancelAllOrders" }>;

/** Chain time by node info, at the wall time `wallMs`, which it leads by `offsetMs`. */
export const byNode = (offsetMs: number, wallMs: number): ChainTime => ({
  timeMs: wallMs + offsetMs,
  offsetMs,
  offsetMsMax: marketTiming.clockErrorMs,
});

/** Resolves, at once where a clock is known, with a function that sends a cancel and never rejects. `above`: nonces are larger. */
export async function locklessSender(
  options: Pick<LocklessCancelOptions, "chainId" | "agentKey" | "offsetMs"> & { readonly above?: Nonce },
  modules: LocklessCancelModules,
): Promise<(cancel: Cancel) => Promise<SubmitOutcome>> {
  const { chainId, agentKey, offsetMs: known, above = nonce(0n) } = options;
  const { clock, venue } = modules;
  const asked = chainOffsetMs(modules);
  let offsetMs = known ?? (await asked);
  void asked.then((read) => {
    offsetMs = read ?? offsetMs;
  });
  const last = { machine: Number(above), chain: Number(above) };
  function send(cancel: Cancel, by: keyof typeof last, timeMs: number): Promise<SubmitOutcome> {
    last[by] = Math.max(Math.trunc(timeMs), last[by] + 1);
    const body = sealEnvelope({
      chainId,
      transactionText: encodeTransaction(cancel),
      nonce: nonce(BigInt(last[by])),
      timestampSec: Math.floor(timeMs / 1000),
      signer: agentKey.signer,
    });
    return venue.submit(body, "cancel");
  }
  return async (cancel) => {
    const wallMs = clock.wallMs();
    const { first, other } = sendTimes(offsetMs === null ? null : byNode(offsetMs, wallMs), wallMs);
    if (other === null) return send(cancel, "machine", first);
    const outcome = await send(cancel, "chain", first);
    return outcome.kind === "rejected" ? send(cancel, "machine", other) : outcome;
  };
}

const CLOCK_TRIES = 3;

/** Resolves with chain time minus local wall time, so that timestamps pass despite a wrong local clock; null: it cannot be read. */
async function chainOffsetMs({ clock, venue }: LocklessCancelModules): Promise<number | null> {
  const pauses = new Pauses({ clock });
  for (let tries = 1; tries <= CLOCK_TRIES; tries += 1) {
    const node = await pauses.within(venue.reads.node(), cancelTiming.answerMs);
    if (node !== undefined) return node.blockTimestampSec * 1000 - clock.wallMs();
    await pauses.wait(cancelTiming.roundMs);
  }
  return null;
}
