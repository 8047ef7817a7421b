// Answers of a lagging node: the content of every path ever requested, for each of the newest blocks.

import type { Reply } from "../devnet/api/http/reply.ts";
import type { Prng } from "../kernel/prng.ts";

/**
 * `behind`: one node, late by `blocks`, answers all reads except those of accounts. `twoHeights`: as `behind`, but at random every other
 * request reaches an up-to-date node. `accountsBehind`: reads of accounts, which have neither height nor time, are late like all others;
 * `accountsAlone`: only they are late; `accountsMixed`: only they, at random.
 */
const lags = ["behind", "twoHeights", "accountsBehind", "accountsAlone", "accountsMixed"] as const;
export type Lag = { readonly how: (typeof lags)[number]; readonly blocks: number; readonly prng: Prng };

export const isLag = (how: string): how is Lag["how"] => (lags as readonly string[]).includes(how);

/** Which reads are late. */
const reach: Readonly<Record<Lag["how"], (isOfAccount: boolean) => boolean>> = {
  behind: (isOfAccount) => !isOfAccount,
  twoHeights: (isOfAccount) => !isOfAccount,
  accountsBehind: () => true,
  accountsAlone: (isOfAccount) => isOfAccount,
  accountsMixed: (isOfAccount) => isOfAccount,
};
const mixed: ReadonlySet<Lag["how"]> = new Set(["twoHeights", "accountsMixed"]);
const SHARE = 0.5;
const ACCOUNTS = "/v1/accounts/";

export class PastReads {
  readonly #paths = new Set<string>();
  /** Newest last; empty while no node lags. */
  #blocks: ReadonlyMap<string, Reply>[] = [];
  #lag: Lag | null = null;

  /** Null: every node is up to date. A node that begins to lag does so block by block. */
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

  /** The answer of the node that the read reaches; undefined if it is up to date. */
  answer(path: string): Reply | undefined {
    this.#paths.add(path);
    if (this.#lag === null) return undefined;
    const { how, prng } = this.#lag;
    if (!reach[how](path.startsWith(ACCOUNTS))) return undefined;
    return mixed.has(how) && prng.chance(SHARE) ? undefined : this.#blocks[0]?.get(path);
  }
}
