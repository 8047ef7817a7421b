// Metrics of a node of a fleet; a single daemon does not show them.

import { declareIn, type Metrics } from "./metrics.ts";

/** How a node got an account: its holder released it, or its lease expired. */
const takeoverReasons = ["released", "expired"] as const;

/** Adds them to the daemon's metrics. */
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
