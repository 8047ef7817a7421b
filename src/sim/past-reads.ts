// Answers of a node that is behind: what every path that was ever asked for showed at each of the newest blocks.

import type { Reply } from "../devnet/api/http/reply.ts";
import type { Prng } from "../kernel/prng.ts";

/**
 * `behind`: one node, so many blocks late, answers all but reads of accounts, which carry neither height nor time. `accountsBehind`: and
 * those. `twoHeights`: as `behind`, and every other request, by chance, reaches a node that is up to date.
 */
export const lags = ["behind", "accountsBehind", "twoHeights"] as const;
export type Lag = { readonly how: (typeof lags)[number]; readonly blocks: number; readonly prng: Prng };

const SHARE = 0.5;
const ACCOUNTS = "/v1/accounts/";

export class PastReads {
  readonly #paths = new Set<string>();
  /** Newest last; empty while no node is behind. */
  #blocks: ReadonlyMap<string, Reply>[] = [];
  #lag: Lag | null = null;

  /** Null: every node is up to date. A node that falls behind does so block by block. */
  set lag(lag: Lag | null) {
    this.#lag = lag;
    this.#blocks = [];
  }

  /** A block was made. */
  async keep(render: (path: string) => Promise<Reply>): Promise<void> {
    if (this.#lag === null) return;
    const paths = [...this.#paths];
    const replies = await Promise.all(paths.map(render));
    this.#blocks.push(new Map(paths.map((path, nth) => [path, replies[nth] as Reply])));
    if (this.#blocks.length > this.#lag.blocks) this.#blocks.shift();
  }

  /** What a read is answered by the node that it reaches; undefined: one that is up to date. */
  answer(path: string): Reply | undefined {
    this.#paths.add(path);
    if (this.#lag === null) return undefined;
    const { how, prng } = this.#lag;
    if (how !== "accountsBehind" && path.startsWith(ACCOUNTS)) return undefined;
    return how === "twoHeights" && prng.chance(SHARE) ? undefined : this.#blocks[0]?.get(path);
  }
}
