// A mass cancel beside a daemon, or after its end: order by order with CancelOrder, whose nonce is neither checked nor committed (S5), so
// that it needs no journal, no allocator and no lock, and nothing that a daemon does is in the way.

import type { SubmitOutcome } from "../../domain/event.ts";
import { type AccountId, nonce, type OrderId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { defaultHedge, hedged } from "../../kernel/hedged.ts";
import { sealEnvelope } from "../../wire/envelope.ts";
import { encodeTransaction } from "../../wire/transaction.ts";
import type { Venue } from "../venue/port.ts";
import type { AgentKey } from "./agent-key.ts";
import { defaultMassCancel, type MassCancelResult, massCancel } from "./mass-cancel.ts";

export type LocklessCancelOptions = {
  readonly accountId: AccountId;
  readonly chainId: string;
  readonly agentKey: AgentKey;
  /** Orders that stay. */
  readonly keep?: ReadonlySet<OrderId>;
  readonly deadlineMs?: number;
  readonly isOver?: () => boolean;
};

/** `canceled`: orders that a cancel was sent for. */
export type LocklessCancelResult = MassCancelResult & { readonly canceled: number };

type LocklessCancelModules = { readonly clock: Clock; readonly venue: Pick<Venue, "reads" | "submit"> };

/** Never rejects. */
export async function locklessCancel(
  options: LocklessCancelOptions,
  modules: LocklessCancelModules,
): Promise<LocklessCancelResult> {
  const { accountId, keep = new Set(), deadlineMs = defaultMassCancel.deadlineMs, isOver = () => false } = options;
  const { clock, venue } = modules;
  const send = sender(options, await chainOffsetMs(modules), modules);
  const canceled = new Set<OrderId>();
  const result = await massCancel(
    { ...defaultMassCancel, accountId, scope: { orders: "ours", marketId: null }, deadlineMs },
    {
      clock,
      read: (account) => hedged(() => venue.reads.account(account), defaultHedge, modules),
      own: () => [],
      isOurs: (orderId) => !keep.has(orderId),
      foreignMarkets: () => new Set(),
      cancel({ orderId }) {
        canceled.add(orderId);
        return send(orderId);
      },
      cancelAll: null,
      unresolved: () => 0,
      isOver,
    },
  );
  return { ...result, canceled: canceled.size };
}

/** Sends a CancelOrder; what it returns never rejects. `offsetMs`: chain time minus local wall time. */
function sender(
  { chainId, agentKey }: LocklessCancelOptions,
  offsetMs: number,
  { clock, venue }: LocklessCancelModules,
): (orderId: OrderId) => Promise<SubmitOutcome> {
  return (orderId) => {
    const nowMs = Math.trunc(clock.wallMs() + offsetMs);
    const body = sealEnvelope({
      chainId,
      transactionText: encodeTransaction({ type: "CancelOrder", orderId }),
      nonce: nonce(BigInt(nowMs)),
      timestampSec: Math.floor(nowMs / 1000),
      signer: agentKey.signer,
    });
    return venue.submit(body, "cancel");
  };
}

/** So that a wrong clock here does not make timestamps refused; 0 when it cannot be read. */
async function chainOffsetMs({ clock, venue }: LocklessCancelModules): Promise<number> {
  try {
    const { blockTimestampSec } = await hedged(() => venue.reads.node(), defaultHedge, { clock });
    return blockTimestampSec * 1000 - clock.wallMs();
  } catch {
    return 0;
  }
}
