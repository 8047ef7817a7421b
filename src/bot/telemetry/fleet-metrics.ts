// Metrics of a node of a fleet; a single daemon does not show them.

import { declareIn, type Metrics } from "./metrics.ts";

/** Why a node took an account: its holder gave it up in order, or did not. */
const takeoverReasons = ["released", "expired"] as const;

/** Adds them to those of the daemon. */
export function createFleetMetrics({ all }: Pick<Metrics, "all">) {
  const { gauge, counter } = declareIn(all);
  const takeovers = counter(
    "quoin_fleet_takeovers_total",
    "Accounts that this node took over, by how the previous holder ended.",
    ["reason"],
  );
  for (const reason of takeoverReasons) takeovers.labels({ reason });
  return {
    takeovers,
    leaseEpoch: gauge(
      "quoin_fleet_lease_epoch",
      "Epoch of the node's lease on the account; it grows with each holder.",
      ["account"],
    ),
    shardHeld: gauge("quoin_fleet_shard_held", "1 while the node holds the account.", ["account"]),
  };
}
