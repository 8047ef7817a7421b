// The accounts at work on a node of a fleet, as its HTTP and its signals reach them.

import type { Served } from "../../bot/telemetry/http.ts";

export type ShardHttp = Pick<Served, "routes" | "onPost">;

export class ServedShards {
  readonly #accounts: readonly string[];
  readonly #shards = new Map<string, ShardHttp>();
  /** Accounts to halt as soon as they can be. */
  readonly #owed = new Set<string>();

  /** `accounts`: all that the node may take. */
  constructor(accounts: readonly string[]) {
    this.#accounts = accounts;
  }

  get all(): ReadonlyMap<string, ShardHttp> {
    return this.#shards;
  }

  /** Operators reach the account from now on. */
  serve(account: string, shard: ShardHttp): void {
    this.#shards.set(account, shard);
    if (this.#owed.delete(account)) halt(shard);
  }

  remove(account: string): void {
    this.#shards.delete(account);
  }

  /**
   * SIGUSR2: halts `held`, the accounts that the node holds; one that is starting, as soon as it can be. Where the node holds none yet,
   * halts each that it takes, once.
   */
  halt(held: readonly string[]): void {
    for (const account of held.length === 0 ? this.#accounts : held) {
      const shard = this.#shards.get(account);
      if (shard === undefined) this.#owed.add(account);
      else halt(shard);
    }
  }
}

function halt({ routes }: ShardHttp): void {
  const request = { path: "/halt", query: new URLSearchParams(), body: JSON.stringify({ reason: "SIGUSR2" }) };
  void routes.get("POST /halt")?.(request);
}
