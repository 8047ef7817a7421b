// What the fleet's page shows, as data: the fleet as its database knows it, and which node says so.

export type FleetView = {
  /** The node that serves the page. */
  readonly node: string;
  readonly version: string;
  /** Prints the token that changes need, in the folder where the node was started. */
  readonly tokenCommand: string;
  readonly chainId: string;
  readonly leaseMs: number;
  /** What keeps the node from its work, as sentences. */
  readonly troubles: readonly string[];
  /** Accounts at work on this node, each with its halts. */
  readonly own: Readonly<Record<string, readonly string[]>>;
  /** As last read. */
  readonly fleet: FleetOverview;
};

/** Times are Unix ms by the database's clock, durations ms. */
export type FleetOverview = {
  readonly nowMs: number;
  /** Of the last halt or resume; null: there was none. */
  readonly order: { readonly isHalt: boolean; readonly reason: string; readonly atMs: number } | null;
  readonly nodes: readonly NodeLine[];
  readonly accounts: readonly AccountLine[];
  /** The newest first. */
  readonly takeovers: readonly TakeoverLine[];
};

export type NodeLine = {
  readonly node: string;
  readonly isDraining: boolean;
  /** Why it could not quote; null: it could. */
  readonly unable: string | null;
  readonly program: string;
  /** How long it still counts as alive without a word; below 0: since when it does not. */
  readonly aliveMs: number;
};

export type TakeoverLine = {
  readonly account: string;
  readonly epoch: number;
  readonly node: string;
  /** Who had it before; null: nobody that is listed. */
  readonly from: string | null;
  /** The holder before had given it up, with nothing resting. */
  readonly isClean: boolean;
  readonly atMs: number;
};

export type AccountLine = {
  readonly shard: string;
  /** Null: nobody holds it. */
  readonly node: string | null;
  readonly epoch: number;
  readonly state: string;
  readonly sinceMs: number;
  /** Of the lease, what is left. */
  readonly leaseMs: number;
};
