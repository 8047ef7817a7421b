// A flush fence: a hundred CancelAllOrders of one key, each executed, with nonces above every nonce that the key can have used. From then
// on every older nonce is below the smallest of the signer's last hundred (S5, rule 3): nothing on its way with one can ever land.

import { requestBudgetOf } from "../../domain/request-budget.ts";
import type { AccountId, MarketId, Nonce } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { sendTiming } from "../timing.ts";
import type { Venue } from "../venue/port.ts";
import type { AgentKey } from "./agent-key.ts";
import { locklessSender } from "./lockless-cancel.ts";

/** The exchange remembers so many (S5). */
const COUNT = 100;
/** Concurrent transactions: a hundred take a few blocks. */
const AT_ONCE = 25;
const FAILURES_MAX = 20;

/** The nonces of one fence are above `above`, and at most so many. */
export const FLUSH_NONCES = BigInt(COUNT + FAILURES_MAX + AT_ONCE);

export type FlushFence = {
  readonly chainId: string;
  readonly agentKey: AgentKey;
  /** No nonce that was used, reserved or may be on its way is larger. */
  readonly above: Nonce;
  /** A market without orders that must stay. */
  readonly marketId: MarketId;
};

type FlushModules = { readonly clock: Clock; readonly venue: Pick<Venue, "reads" | "submit"> };

/** True: a hundred were executed. False: nothing is proven. Never rejects. */
export async function flushFence(fence: FlushFence, isOver: () => boolean, modules: FlushModules): Promise<boolean> {
  const { clock } = modules;
  const send = await locklessSender(fence, modules);
  const untilMs = clock.monotonicMs() + sendTiming.flushFenceMs;
  let [executed, open, failed] = [0, 0, 0];
  const isWanted = (): boolean =>
    executed + open < COUNT && failed < FAILURES_MAX && clock.monotonicMs() < untilMs && !isOver();
  async function sendSome(): Promise<void> {
    while (isWanted()) {
      open += 1;
      const { kind } = await send({ type: "CancelAllOrders", marketId: fence.marketId });
      open -= 1;
      if (kind === "executed") executed += 1;
      else failed += 1;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendSome));
  return executed >= COUNT;
}

/** Whether the account's count of requests covers a fence beside the reserve. Never rejects. */
export async function coversFlush(accountId: AccountId, { venue }: Pick<FlushModules, "venue">): Promise<boolean> {
  try {
    const budget = requestBudgetOf(await venue.reads.rateLimit(accountId));
    return budget === null || budget.remaining - budget.reserve >= COUNT;
  } catch {
    return false;
  }
}
