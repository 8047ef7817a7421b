// Data of the fleet's page: the fleet as in its database, and the node that serves the page.

export type FleetView = {
  /** The node that serves the page. */
  readonly node: string;
  readonly version: string;
  /** Command that prints the token for changes, to run in the folder where the node was started. */
  readonly tokenCommand: string;
  readonly chainId: string;
  readonly leaseMs: number;
  /** What keeps the node from working, as sentences. */
  readonly troubles: readonly string[];
  /** Accounts that run on this node, each with its halts. */
  readonly own: Readonly<Record<string, readonly string[]>>;
  /** As last read. */
  readonly fleet: FleetOverview;
};

/** Times are Unix ms by the database's clock, durations ms. */
export type FleetOverview = {
  readonly nowMs: number;
  /** The last halt or resume; null: there was none. */
  readonly order: { readonly isHalt: boolean; readonly reason: string; readonly atMs: number } | null;
  readonly nodes: readonly NodeLine[];
  readonly accounts: readonly AccountLine[];
  /** Newest first. */
  readonly takeovers: readonly TakeoverLine[];
};

export type NodeLine = {
  readonly node: string;
  readonly isDraining: boolean;
  /** Why it could not quote; null: it could. */
  readonly unable: string | null;
  readonly program: string;
  /** How long it still counts as alive without a heartbeat; negative: how long it has counted as dead. */
  readonly aliveMs: number;
};

export type TakeoverLine = {
  readonly account: string;
  readonly epoch: number;
  readonly node: string;
  /** The previous holder; null: none that is listed. */
  readonly from: string | null;
  /** The previous holder released it with no resting orders. */
  readonly isClean: boolean;
  readonly atMs: number;
};

export type AccountLine = {
  readonly shard: string;
  /** Null: no node holds it. */
  readonly node: string | null;
  readonly epoch: number;
  readonly state: string;
  readonly sinceMs: number;
  /** Time left in the lease. */
  readonly leaseMs: number;
};
