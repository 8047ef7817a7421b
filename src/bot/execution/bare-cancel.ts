// CancelOrder without anything around it: no journal, no allocator, no lock. Its nonce is neither checked nor committed (S5), so
// anyone who holds the key may send it at any time, beside a running daemon or after its end.

import type { SubmitOutcome } from "../../domain/event.ts";
import { nonce } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { sealEnvelope } from "../../wire/envelope.ts";
import { encodeTransaction } from "../../wire/transaction.ts";
import type { Venue } from "../venue/port.ts";
import type { AgentKey } from "./agent-key.ts";
import type { KillTarget } from "./kill.ts";

export type BareCancelOptions = {
  readonly chainId: string;
  readonly agentKey: AgentKey;
  /** Chain time minus local wall time, ms; 0 where it is not known. */
  readonly offsetMs: number;
};

/** A sender of single CancelOrders for `cancelUntilNothingRests`. What it returns never rejects. */
export function bareCancel(
  { chainId, agentKey, offsetMs }: BareCancelOptions,
  { clock, venue }: { readonly clock: Clock; readonly venue: Pick<Venue, "submit"> },
): (target: KillTarget) => Promise<SubmitOutcome> {
  return ({ orderId }) => {
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
