// Records in the database which node signs with which key: two nodes with one key would use each other's nonces.

import { commandText } from "../../kernel/typed-command.ts";
import { type Ask, type Database, FleetError } from "./database.ts";

/**
 * Claims these keys for `node` (public keys by account), and releases those that it no longer has. Throws FleetError `refused`, and changes
 * nothing, if another live node signs with one of them.
 */
export const claimKeys = (database: Database, node: string, keys: ReadonlyMap<string, string>): Promise<void> =>
  database.inTransaction(async (ask) => {
    // Nodes that start at the same time run one after the other, so each sees the earlier claims.
    await ask("lock table quoin.keys in exclusive mode");
    const [accounts, signers] = [[...keys.keys()], [...keys.values()]];
    const [taken] = await ask(
      `select own.account, k.account as theirs, k.node
         from unnest($2::text[], $3::text[]) own (account, signer) join quoin.keys k using (signer) join quoin.nodes n using (node)
         where k.node <> $1 and n.seen_until > now() order by length(own.account), own.account limit 1`,
      [node, accounts, signers],
    );
    if (taken !== undefined)
      throw new FleetError(
        "refused",
        `node ${taken.node} signs with the key of account ${taken.account}${taken.theirs === taken.account ? "" : `, for account ${taken.theirs}`}; make a key for this node alone (${commandText("keygen --out FILE")}) and let the owner approve it, or stop node ${taken.node}; nothing was sent`,
      );
    await ask("delete from quoin.keys where node = $1 or signer = any($2::text[])", [node, signers]);
    await ask(
      "insert into quoin.keys (account, signer, node) select account, signer, $1 from unnest($2::text[], $3::text[]) own (account, signer)",
      [node, accounts, signers],
    );
  });

/** Throws FleetError `refused` if another node claimed the key while this one did not count as alive. */
export async function checkKey(ask: Ask, account: string, signer: string): Promise<void> {
  const [row] = await ask(
    "select k.node, k.node = s.node as is_ours from quoin.shards s left join quoin.keys k on k.signer = $2 where s.account = $1",
    [account, signer],
  );
  if (row?.is_ours === true) return;
  const now = row?.node == null ? "nobody's in the database" : `that of node ${row.node}`;
  throw new FleetError("refused", `the key of account ${account} is ${now} by now; start this node again`);
}
