// `quoin fleet init`, `status`, `halt`, `resume` and `drain`: an operator's commands, from any machine that reaches the fleet's database.

import { type Database, FleetError } from "../bot/fleet/database.ts";
import { initFleet } from "../bot/fleet/schema.ts";
import { drain, order, type ShardLine, shardLines, unableNodes } from "../bot/fleet/shards.ts";
import { NO_REASON } from "../bot/service/operator/trading-state.ts";
import { accountsHash, refuseEmbedded, withFleet, withFleetDatabase } from "../daemon/fleet/database.ts";
import { EXIT_DONE, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { sleep } from "../kernel/clock.ts";
import { printable } from "../kernel/printable.ts";
import { readConfig, readForEmergency } from "./read-config.ts";

type WithConfig = { readonly config: string };

/** Making the schema may wait for another node that makes it too. */
const INIT_MS_MAX = 30_000;
/** A drain waits until cancels are confirmed (up to 25 s per account), and a little longer. */
const DRAIN_MS_MAX = 60_000;
const LOOK_MS = 200;

export async function fleetInit({ config: file }: WithConfig, host: Host): Promise<ExitCode> {
  const config = await readConfig(file, host);
  if (config === undefined) return EXIT_USAGE;
  return withFleetDatabase(config, INIT_MS_MAX, host, async (database) => {
    refuseEmbedded(config);
    const hash = accountsHash(config);
    const { from, to } = await initFleet(database, { chainId: config.venue.chainId, config: hash });
    const did = from === to ? "is there already" : from === 0 ? "is made" : `was migrated from version ${from}`;
    host.stdout(`the schema ${did}: version ${to}; the fleet runs configuration ${hash}\n`);
    return EXIT_DONE;
  });
}

export function fleetStatus({ config, json }: WithConfig & { readonly json: boolean }, host: Host): Promise<ExitCode> {
  return inFleet(config, host, async (database) => {
    const [lines, unable] = await Promise.all([shardLines(database.ask), unableNodes(database.ask)]);
    for (const line of lines)
      host.stdout(`${json ? JSON.stringify(line) : printable(sentence(line, host.clock.wallMs()))}\n`);
    if (!json)
      for (const { node, why } of unable) host.stdout(`node ${printable(node)} cannot quote: ${printable(why)}\n`);
    if (!json && lines.length === 0) host.stdout("no node has named an account yet\n");
    return EXIT_DONE;
  });
}

const sentence = ({ shard, node, epoch, state, sinceMs, leaseMs }: ShardLine, nowMs: number): string => {
  const since = `${state} for ${Math.max(0, Math.round((nowMs - sinceMs) / 1000))} s`;
  return `account ${shard}: ${node === null ? since : `${since} on ${node}, lease ${leaseMs} ms`}, epoch ${epoch}`;
};

export async function fleetOrder(
  verb: "halt" | "resume",
  { config, reason = NO_REASON }: WithConfig & { readonly reason?: string },
  host: Host,
): Promise<ExitCode> {
  if (reason.trim() === "") return endWith(EXIT_USAGE, "--reason must say why", host);
  return inFleet(config, host, async (database) => {
    await order(database, verb === "halt" ? reason : null, reason);
    host.stdout(verb === "halt" ? "every account of the fleet is halted\n" : "every account of the fleet is resumed\n");
    return EXIT_DONE;
  });
}

/** Exit 1 when the node still holds accounts: their orders may rest. */
export function fleetDrain({ config, node }: WithConfig & { readonly node: string }, host: Host): Promise<ExitCode> {
  return inFleet(config, host, async (database) => {
    if (!(await drain(database, node))) throw new FleetError("refused", `no node with the name ${node} runs`);
    const untilMs = host.clock.monotonicMs() + DRAIN_MS_MAX;
    for (;;) {
      const held = (await shardLines(database.ask)).filter((line) => line.node === node);
      if (held.length === 0) {
        host.stdout(`node ${node} holds nothing\n`);
        return EXIT_DONE;
      }
      if (host.clock.monotonicMs() > untilMs)
        throw new FleetError("refused", `node ${node} still holds ${held.map(({ shard }) => shard).join(", ")}`);
      await sleep(host.clock, LOOK_MS);
    }
  });
}

/** Reads only what the command needs, so that it works with faults elsewhere in the file. */
async function inFleet(file: string, host: Host, run: (database: Database) => Promise<ExitCode>): Promise<ExitCode> {
  const config = readForEmergency(file, host);
  return config === undefined ? EXIT_USAGE : withFleet(config, host, run);
}
