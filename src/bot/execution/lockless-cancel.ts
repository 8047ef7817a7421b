// A mass cancel beside a daemon, or after its end: order by order with CancelOrder, whose nonce is neither checked nor committed (S5), so
// that it needs no journal, no allocator and no lock, and nothing that a daemon does is in the way. Whoever has a key of its own may
// begin with CancelAllOrders, which needs no read either.

import type { SubmitOutcome } from "../../domain/event.ts";
import { type AccountId, type MarketId, type Nonce, nonce, type OrderId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { defaultHedge, hedged } from "../../kernel/hedged.ts";
import { type BackOffOptions, untilAnswered } from "../../kernel/retry.ts";
import { sealEnvelope } from "../../wire/envelope.ts";
import { encodeTransaction, type Transaction } from "../../wire/transaction.ts";
import type { Venue } from "../venue/port.ts";
import type { AgentKey } from "./agent-key.ts";
import { defaultMassCancel, type MassCancelResult, massCancel, type RemainingOrder } from "./mass-cancel.ts";
import { Pauses } from "./pauses.ts";
import { Stamps } from "./stamps.ts";

export type LocklessCancelOptions = {
  readonly accountId: AccountId;
  readonly chainId: string;
  readonly agentKey: AgentKey;
  /** Orders that stay. */
  readonly keep?: ReadonlySet<OrderId>;
  /** Orders that may rest, by what is known here: canceled before the first read is answered. */
  readonly own?: () => readonly RemainingOrder[];
  /** Ids of orders that may rest. Where CancelAllOrders is not used, each is canceled until that is answered, whatever reads list. */
  readonly named?: ReadonlySet<OrderId>;
  /** Transactions that may yet become orders. */
  readonly unresolved?: () => number;
  readonly deadlineMs?: number;
  readonly isOver?: () => boolean;
  /** Chain time minus local wall time as last known; without it the exchange is asked first. */
  readonly offsetMs?: number;
  /** With CancelAllOrders, where nothing is to be kept; only for a key that nobody else signs with now. */
  readonly begin?: "cancelAll";
};

/** `canceled`: orders that a cancel was sent for, or that CancelAllOrders took. */
export type LocklessCancelResult = MassCancelResult & { readonly canceled: number };

/** A cancel by name that nobody answered is sent again once a second. */
const AGAIN: BackOffOptions = { firstMs: 1000, maxMs: 1000 };

type LocklessCancelModules = { readonly clock: Clock; readonly venue: Pick<Venue, "reads" | "submit"> };

/** Never rejects. */
export async function locklessCancel(
  options: LocklessCancelOptions,
  modules: LocklessCancelModules,
): Promise<LocklessCancelResult> {
  const { accountId, keep = new Set(), deadlineMs = defaultMassCancel.deadlineMs, isOver = () => false } = options;
  const { clock, venue } = modules;
  const send = await locklessSender(options, modules);
  const canceled = new Set<OrderId>();
  /** The answer to its cancel says so. */
  const gone = new Set<OrderId>();
  async function cancelAll(marketId: MarketId | null): Promise<void> {
    const outcome = await send({ type: "CancelAllOrders", marketId });
    if (outcome.kind !== "executed") return;
    for (const event of outcome.events) if (event.type === "orderCanceled") canceled.add(event.orderId);
  }
  const isOneByOne = options.begin === undefined || keep.size > 0;
  const byName = isOneByOne ? new Set(options.named) : new Set<OrderId>();
  const pauses = new Pauses(modules);
  let isDone = false;
  async function cancelByName(orderId: OrderId): Promise<void> {
    const ask = async () => {
      const { kind } = await send({ type: "CancelOrder", orderId });
      return kind === "executed" || kind === "refused" ? kind : null;
    };
    const kind = await untilAnswered(ask, AGAIN, { wait: (ms) => pauses.wait(ms), isOver: () => isDone });
    if (kind === "executed") canceled.add(orderId);
    if (kind !== null) byName.delete(orderId);
  }
  for (const orderId of byName) void cancelByName(orderId);
  const result = await massCancel(
    { ...defaultMassCancel, accountId, scope: { orders: "ours", marketId: null }, deadlineMs },
    {
      clock,
      read: (account) => hedged(() => venue.reads.account(account), defaultHedge, modules),
      own: () => (options.own?.() ?? []).filter(({ orderId }) => orderId === null || !gone.has(orderId)),
      isOurs: (orderId) => orderId === null || !keep.has(orderId),
      // What rests is known from reads alone: one that still lists a canceled order is too old to show that nothing else does.
      isGone: () => false,
      foreignMarkets: () => new Set(),
      async cancel({ orderId }) {
        canceled.add(orderId);
        const outcome = await send({ type: "CancelOrder", orderId });
        // A refusal was executed, too: the order is gone.
        if (orderId !== null && (outcome.kind === "executed" || outcome.kind === "refused")) gone.add(orderId);
        return outcome;
      },
      cancelAll: isOneByOne ? null : cancelAll,
      unresolved: () => byName.size + (options.unresolved?.() ?? 0),
      isOver,
    },
  );
  isDone = true;
  pauses.end();
  return { ...result, canceled: canceled.size };
}

type Cancel = Extract<Transaction, { readonly type: "CancelOrder" | "CancelAllOrders" }>;

/** Resolves, at once where a clock is known, with what sends a cancel and never rejects. `above`: nonces are larger. */
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
  const chainTime = () => (offsetMs === null ? null : { timeMs: clock.wallMs() + offsetMs });
  const stamps = new Stamps({ clock, chainTime });
  let last = Number(above);
  return async (cancel) => {
    const stamp = stamps.now();
    last = Math.max(Math.trunc(stamp.timeMs), last + 1);
    const body = sealEnvelope({
      chainId,
      transactionText: encodeTransaction(cancel),
      nonce: nonce(BigInt(last)),
      timestampSec: Math.floor(stamp.timeMs / 1000),
      signer: agentKey.signer,
    });
    const outcome = await venue.submit(body, "cancel");
    stamps.answered(stamp, outcome);
    return outcome;
  };
}

/** Chain time minus local wall time, so that a wrong clock here does not make timestamps refused; null when it cannot be read. */
async function chainOffsetMs({ clock, venue }: LocklessCancelModules): Promise<number | null> {
  try {
    const { blockTimestampSec } = await hedged(() => venue.reads.node(), defaultHedge, { clock });
    return blockTimestampSec * 1000 - clock.wallMs();
  } catch {
    return null;
  }
}
