// The fleet's tables, as steps that are applied once, in order: a database of an older program gets the missing steps, one of a newer
// program is refused. Times are the database's own.

import { commandText } from "../../kernel/typed-command.ts";
import { type Ask, type Database, FleetError } from "./database.ts";

const steps: readonly string[] = [
  `create table quoin.fleet (
     one boolean primary key default true check (one),
     version integer not null,
     chain_id text not null,
     config text not null,
     halt_reason text,
     order_reason text not null default '',
     orders bigint not null default 0
   );
   create table quoin.nodes (
     node text primary key,
     instance text not null,
     program text not null,
     is_draining boolean not null default false,
     seen_until timestamptz not null
   );
   create table quoin.shards (
     account text primary key,
     node text,
     instance text,
     epoch bigint not null default 0,
     expires_at timestamptz,
     state text not null default 'free',
     since timestamptz not null default now(),
     is_clean boolean not null default true,
     orders_done bigint not null default 0
   );
   create table quoin.records (
     account text not null,
     epoch bigint not null,
     number bigint not null,
     record text not null,
     primary key (account, epoch, number)
   );
   create table quoin.newest (
     account text not null,
     slot text not null,
     epoch bigint not null,
     number bigint not null,
     record text not null,
     primary key (account, slot)
   );`,
  `create table quoin.allowances (
     account text not null,
     epoch bigint not null,
     signer text not null,
     allowances text not null,
     ended_at timestamptz,
     primary key (account, epoch)
   );`,
  `alter table quoin.fleet add order_at timestamptz;
   create table quoin.takeovers (
     account text not null,
     epoch bigint not null,
     node text not null,
     is_clean boolean not null,
     at timestamptz not null default now(),
     primary key (account, epoch)
   );
   create index takeovers_by_time on quoin.takeovers (at);`,
  `alter table quoin.fleet
     add server_started timestamptz,
     add server_since timestamptz not null default '-infinity',
     add number_floor bigint not null default 0;`,
  `create table quoin.keys (
     signer text primary key,
     account text not null,
     node text not null
   );`,
  `alter table quoin.nodes add unable text default 'it has not said';
   alter table quoin.shards add yielded_at timestamptz;`,
];

/** Advisory lock, so that nodes do not create the schema at the same time. */
const LOCK = 7_168_261_946;

/** Creates or migrates the schema, and records the fleet's chain and configuration of accounts. Throws FleetError. */
export function initFleet(database: Database, fleet: { readonly chainId: string; readonly config: string }) {
  return database.inTransaction(async (ask) => {
    await ask("select pg_advisory_xact_lock($1)", [LOCK]);
    await ask("create schema if not exists quoin");
    const found = await versionIn(ask);
    if (found > steps.length) throw newer(found);
    for (const step of steps.slice(found)) await ask(step);
    if (found === 0)
      await ask(
        "insert into quoin.fleet (version, chain_id, config, server_started) values ($1, $2, $3, pg_postmaster_start_time())",
        [steps.length, fleet.chainId, fleet.config],
      );
    else {
      await sameChain(ask, fleet.chainId);
      await ask("update quoin.fleet set version = $1, config = $2", [steps.length, fleet.config]);
    }
    return { from: found, to: steps.length };
  });
}

/** Throws FleetError `schema` if this program cannot use the existing schema, `refused` for a fleet on another chain. */
export async function checkSchema(ask: Ask, chainId: string): Promise<void> {
  const found = await versionIn(ask);
  if (found > steps.length) throw newer(found);
  if (found < steps.length)
    throw new FleetError(
      "schema",
      `the database has no schema of this version; run ${commandText("fleet init --config FILE")} first`,
    );
  await sameChain(ask, chainId);
}

async function versionIn(ask: Ask): Promise<number> {
  const [there] = await ask("select to_regclass('quoin.fleet') is not null as is");
  if (there?.is !== true) return 0;
  const [row] = await ask("select version from quoin.fleet");
  return Number(row?.version ?? 0);
}

async function sameChain(ask: Ask, chainId: string): Promise<void> {
  const [row] = await ask("select chain_id from quoin.fleet");
  if (row?.chain_id === chainId) return;
  throw new FleetError(
    "refused",
    `the database is that of a fleet on ${row?.chain_id}, the configuration says ${chainId}`,
  );
}

const newer = (found: number): FleetError =>
  new FleetError("schema", `the schema has version ${found}, this program knows ${steps.length}; use a newer program`);
