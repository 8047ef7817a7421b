// All limits as one list, in the order of their ids.

import { batchLimits } from "./batch-limits.ts";
import { type LimitId, type LimitRule, limitIds } from "./limit-rule.ts";
import { orderLimits } from "./order-limits.ts";

const bodies: Readonly<Record<LimitId, Omit<LimitRule, "id">>> = { ...orderLimits, ...batchLimits };

export const limitRules: readonly LimitRule[] = limitIds.map((id) => ({ id, ...bodies[id] }));

/** Rules that apply to an order as long as it rests. */
export const restingRules = limitRules.filter(({ resting }) => resting);
