// A fleet's overview for people: its nodes, who holds which account and for how long, takeovers, and whether it is halted.

import type { Ask } from "./database.ts";
import { shardLines } from "./shards.ts";

const TAKEOVERS_SHOWN = 50;

/** Times are Unix ms by the database's clock, durations ms. Throws FleetError. */
export async function fleetOverview(ask: Ask) {
  const [fleet, nodes, accounts, takeovers] = await Promise.all([
    ask(
      `select halt_reason, order_reason, ${msOf("order_at")} as order_ms, ${msOf("now()")} as now_ms from quoin.fleet`,
    ),
    ask(
      `select node, is_draining, unable, program, floor(extract(epoch from seen_until - now()) * 1000) as alive_ms
         from quoin.nodes where seen_until > now() - interval '1 day' order by node`,
    ),
    shardLines(ask),
    ask(
      `select account, epoch, node, is_clean, ${msOf("at")} as at_ms,
         lag(node) over (partition by account order by epoch) as before
         from quoin.takeovers order by at desc, epoch desc limit ${TAKEOVERS_SHOWN}`,
    ),
  ]);
  const said = fleet[0];
  return {
    nowMs: Number(said?.now_ms),
    order:
      said?.order_ms == null
        ? null
        : { isHalt: said.halt_reason !== null, reason: String(said.order_reason), atMs: Number(said.order_ms) },
    nodes: nodes.map((row) => ({
      node: String(row.node),
      isDraining: row.is_draining === true,
      unable: row.unable === null ? null : String(row.unable),
      program: String(row.program),
      aliveMs: Number(row.alive_ms),
    })),
    accounts,
    takeovers: takeovers.map((row) => ({
      account: String(row.account),
      epoch: Number(row.epoch),
      node: String(row.node),
      from: row.before === null ? null : String(row.before),
      isClean: row.is_clean === true,
      atMs: Number(row.at_ms),
    })),
  };
}

const msOf = (time: string): string => `floor(extract(epoch from ${time}) * 1000)`;
