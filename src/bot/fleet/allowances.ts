// What each holder of an account may have had on the way without an answer, in the database: registered before it is used, kept until
// the holder has given the account up clean, or until none of it can still land.

import type { Allowances } from "../../domain/allowance.ts";
import { size } from "../../domain/units.ts";
import type { Ask, Database } from "./database.ts";
import { checkKey } from "./keys.ts";
import { fence, type Taken } from "./shards.ts";

/** `signer`: the public key that it signed with. `agoMs`: since when it can have sent nothing. */
export type Registered = {
  readonly epoch: number;
  readonly signer: string;
  readonly allowances: Allowances;
  readonly agoMs: number;
};

/**
 * Registers what the holder of this epoch may have unanswered, and resolves with those before it whose transactions may still land: not those
 * who had lost the account `landingBoundMs` ago. Throws FleetError, `refused` where the epoch is not the newest, or the key another node's.
 */
export function registerAllowance(
  database: Database,
  { account, epoch }: Pick<Taken, "account" | "epoch">,
  own: Pick<Registered, "signer" | "allowances">,
  landingBoundMs: number,
): Promise<readonly Registered[]> {
  return database.inTransaction(async (ask) => {
    await fence(ask, account, epoch);
    await checkKey(ask, account, own.signer);
    await ask("update quoin.allowances set ended_at = now() where account = $1 and ended_at is null", [account]);
    await ask("delete from quoin.allowances where account = $1 and ended_at < now() - make_interval(secs => $2)", [
      account,
      landingBoundMs / 1000,
    ]);
    await ask("insert into quoin.allowances (account, epoch, signer, allowances) values ($1, $2, $3, $4)", [
      account,
      epoch,
      own.signer,
      textOf(own.allowances),
    ]);
    const rows = await ask(
      `select epoch, signer, allowances, floor(extract(epoch from now() - ended_at) * 1000) as ago_ms
         from quoin.allowances where account = $1 and epoch < $2 order by epoch`,
      [account, epoch],
    );
    return rows.map((row) => ({
      epoch: Number(row.epoch),
      signer: String(row.signer),
      allowances: parsed(String(row.allowances)),
      agoMs: Number(row.ago_ms),
    }));
  });
}

/** To be called once nothing that the holder of this epoch sent can still land. */
export const forgetAllowance = (ask: Ask, { account, epoch }: Pick<Taken, "account" | "epoch">) =>
  ask("delete from quoin.allowances where account = $1 and epoch = $2", [account, epoch]);

const textOf = (allowances: Allowances): string =>
  JSON.stringify([...allowances].map(([marketId, { orders, contracts }]) => [marketId, orders, `${contracts}`]));

const parsed = (text: string): Allowances =>
  new Map(
    (JSON.parse(text) as [number, number, string][]).map(([marketId, orders, contracts]) => [
      marketId,
      { orders, contracts: size(BigInt(contracts)) },
    ]),
  );
