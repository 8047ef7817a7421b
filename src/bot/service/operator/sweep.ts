// Canceling beside a daemon, or after its end: order by order with CancelOrder, whose nonce is neither checked nor committed, so that
// no lock is needed and nothing that a daemon does is in the way.

import type { AccountId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { defaultHedge, hedged } from "../../../kernel/hedged.ts";
import type { AgentKey } from "../../execution/agent-key.ts";
import { bareCancel } from "../../execution/bare-cancel.ts";
import { cancelUntilNothingRests, defaultKill, type KillResult, type KillTarget } from "../../execution/kill.ts";
import type { Venue } from "../../venue/port.ts";

export type SweepOptions = {
  readonly accountId: AccountId;
  readonly chainId: string;
  readonly agentKey: AgentKey;
  readonly deadlineMs?: number;
  readonly isOver?: () => boolean;
};

/** `canceled`: orders that a cancel was sent for. */
export type Swept = KillResult & { readonly canceled: number };

/** Never rejects. */
export async function sweepAccount(
  { accountId, chainId, agentKey, deadlineMs = defaultKill.deadlineMs, isOver = () => false }: SweepOptions,
  modules: { readonly clock: Clock; readonly venue: Pick<Venue, "reads" | "submit"> },
): Promise<Swept> {
  const { clock, venue } = modules;
  const send = bareCancel({ chainId, agentKey, offsetMs: await chainOffsetMs(modules) }, modules);
  const targets = new Set<bigint>();
  const cancel = (target: KillTarget) => {
    targets.add(target.orderId);
    return send(target);
  };
  const result = await cancelUntilNothingRests(
    { ...defaultKill, deadlineMs, accountId },
    { clock, reads: venue.reads, known: () => [], cancel, cancelAll: null, unsettled: () => 0, isOver },
  );
  return { ...result, canceled: targets.size };
}

/** Chain time minus ours, so that a wrong clock here does not make timestamps refused; 0 when it cannot be read. */
async function chainOffsetMs({
  clock,
  venue,
}: {
  readonly clock: Clock;
  readonly venue: Pick<Venue, "reads">;
}): Promise<number> {
  try {
    const { blockTimestampSec } = await hedged(() => venue.reads.node(), defaultHedge, { clock });
    return blockTimestampSec * 1000 - clock.wallMs();
  } catch {
    return 0;
  }
}
