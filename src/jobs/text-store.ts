// The texts that jobs read, stored in the queue's database by hash: an index history of many megabytes is sent once for all jobs that read
// it.

import type { Ask } from "../bot/fleet/database.ts";

/** `hash`: SHA-256 of the text. */
export type StoredText = { readonly hash: string; readonly text: string };

/** Longer than pg-boss keeps a waiting job (14 days). */
const KEPT_DAYS = 30;
/** Advisory lock, so that processes do not create the table at the same time. */
const LOCK = 7_168_261_947;

/** Both throw FleetError if the database does not answer. */
export type TextStore = {
  readonly keep: (texts: readonly StoredText[]) => Promise<void>;
  /** Texts by hash, for those that exist. */
  readonly read: (hashes: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

/** The schema must exist. Creates the table if needed, and deletes texts not used for a month. */
export async function openTextStore(ask: Ask, schema: string): Promise<TextStore> {
  const table = `${schema}.texts`;
  await ask(
    `select pg_advisory_xact_lock(${LOCK});
     create table if not exists ${table} (
       hash text primary key,
       text text not null,
       used_at timestamptz not null default now()
     );
     delete from ${table} where used_at < now() - interval '${KEPT_DAYS} days'`,
  );
  return {
    async keep(texts) {
      const byHash = new Map(texts.map(({ hash, text }) => [hash, text]));
      const there = await ask(`update ${table} set used_at = now() where hash = any($1) returning hash`, [
        [...byHash.keys()],
      ]);
      for (const { hash } of there) byHash.delete(hash);
      for (const row of byHash)
        await ask(`insert into ${table} (hash, text) values ($1, $2) on conflict do nothing`, row);
    },
    async read(hashes) {
      const rows = await ask(`select hash, text from ${table} where hash = any($1)`, [hashes]);
      return new Map(rows.map(({ hash, text }) => [hash, text]));
    },
  };
}
