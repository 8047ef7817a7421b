// Limits on what each holder of an account may have sent without an answer, in the database: registered before use, kept until the holder
// has released the account clean, or until none of it can still execute.

import type { Allowances } from "../../domain/allowance.ts";
import { size } from "../../domain/units.ts";
import type { Ask, Database } from "./database.ts";
import { checkKey } from "./keys.ts";
import { fence, type Taken } from "./shards.ts";

/** `signer`: public key of its signatures. `agoMs`: for how long it can have sent nothing. */
export type Registered = {
  readonly epoch: number;
  readonly signer: string;
  readonly allowances: Allowances;
  readonly agoMs: number;
};

/**
 * Registers what the holder of this epoch may have unanswered, and resolves with earlier holders whose transactions may still execute:
 * those that lost the account less than `landingBoundMs` ago. Throws FleetError `refused` if the epoch is not the newest, or the key is
 * another node's.
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

/** Call once nothing that the holder of this epoch sent can still execute. */
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
