// A node of a fleet: takes accounts that no other node holds and quotes them until it is stopped. It ends once the orders of each account
// are canceled, that is confirmed, and the account is released.

import type { BotConfig, FleetConfig } from "../../bot/config/config.ts";
import { readPage } from "../../bot/dashboard/page-files.ts";
import { type AgentKey, loadAgentKey } from "../../bot/execution/agent-key.ts";

import type { Database } from "../../bot/fleet/database.ts";
import { claimKeys } from "../../bot/fleet/keys.ts";
import { FleetNode, type NodeEvent } from "../../bot/fleet/node.ts";
import { fleetOverview } from "../../bot/fleet/overview.ts";
import { checkSchema } from "../../bot/fleet/schema.ts";
import { order } from "../../bot/fleet/shards.ts";
import { type Ability, watchAbility } from "../../bot/service/lifecycle/ability.ts";
import { Access } from "../../bot/telemetry/access.ts";
import { createFleetMetrics } from "../../bot/telemetry/fleet-metrics.ts";
import { type HttpServer, type Routes, type Served, serveHttp } from "../../bot/telemetry/http.ts";
import type { Log } from "../../bot/telemetry/log.ts";
import { createMetrics, type Metrics, observeProcess } from "../../bot/telemetry/metrics.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_ORDERS_MAY_REST, type ExitCode, type Host } from "../../host/host.ts";
import { assert } from "../../kernel/assert.ts";
import { messageOf } from "../../kernel/errors.ts";
import { commandText } from "../../kernel/typed-command.ts";
import { checkSigning } from "../../wire/signing.ts";
import { keysOf } from "../prepare.ts";
import { watchCalls } from "../process/call-watch.ts";
import { endOnCrash } from "../process/crash.ts";
import { watchHeap } from "../process/heap-watch.ts";
import { reachVenue } from "../reach-venue.ts";
import { type AdminToken, makeToken } from "../running/admin-token.ts";
import { announceDaemon } from "../running/running-daemon.ts";
import { scopedTokens } from "../running/token-files.ts";
import { createWebhookLog, type WebhookLog } from "../webhook.ts";
import { accountsHash, FleetFault, fleetDatabase, fleetExit, refuseEmbedded } from "./database.ts";
import { nodeRoutes, ServedShards, type ShardHttp } from "./http.ts";
import { recoverShards, type ShardModules, startShard } from "./shard.ts";

/** Share of the lease after which a statement counts as unanswered: several must fail before a lease is unconfirmed. */
const STATEMENT_SHARE = 0.3;
const INSTANCE_BYTES = 8;

/** Runs until `stopped`, which says what ended it, for the log. Resolves with the code to exit with. */
export async function runFleetNode(config: BotConfig, stopped: Promise<string>, host: Host): Promise<ExitCode> {
  checkSigning();
  const metrics = createMetrics();
  observeProcess(metrics);
  let webhook: WebhookLog | undefined;
  let database: Database | undefined;
  try {
    refuseEmbedded(config);
    const timeoutMs = (config.fleet?.leaseMs ?? 0) * STATEMENT_SHARE;
    const opened = fleetDatabase(config, timeoutMs, host);
    database = opened.database;
    const token = configured("server.tokenFile", () => makeToken(config, host));
    const fenceKeys = configured("fleet.fenceKeys", () => opened.fleet.fenceKeys.map(loadAgentKey));
    const keys = configured("accounts", () => keysOf(config, host));
    const ownKeys = new Map([...keys].map(([account, { publicKey }]) => [`${account}`, publicKey]));
    webhook = configured(null, () => createWebhookLog(config, host, metrics));
    await checkSchema(database.ask, config.venue.chainId);
    return await runNode(
      { config, fleet: opened.fleet, token, fenceKeys, ownKeys },
      { host, webhook, metrics, database, stopped },
    );
  } catch (error) {
    return fleetExit(error, host);
  } finally {
    await database?.close();
    await webhook?.close();
  }
}

type NodeFacts = {
  readonly config: BotConfig;
  readonly fleet: FleetConfig;
  readonly token: AdminToken;
  readonly fenceKeys: readonly AgentKey[];
  /** The node's own public keys, by account. */
  readonly ownKeys: ReadonlyMap<string, string>;
};

type NodeParts = {
  readonly host: Host;
  readonly webhook: Pick<WebhookLog, "log" | "tell">;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly stopped: Promise<string>;
};

async function runNode(
  { config, fleet, token, fenceKeys, ownKeys }: NodeFacts,
  { host, webhook: { log, tell }, metrics, database, stopped }: NodeParts,
): Promise<ExitCode> {
  const { clock, version, commit } = host;
  const accounts = config.accounts.map(({ accountId }) => `${accountId}`);
  const shards = new ServedShards(accounts);
  const calls = watchCalls(config, host, log);
  const unwatchHeap = watchHeap(() => config, { clock, log });
  const about = aboutNode(config, host);
  const { tokenCommand } = about();
  const shown = { node: fleet.node, leaseMs: fleet.leaseMs, version, tokenCommand, chainId: config.venue.chainId };
  const routes = nodeRoutes(shards.all, {
    metrics,
    about,
    clock,
    troubles: () => node.troubles,
    fleet: async () => ({ ...shown, fleet: await fleetOverview(database.ask) }),
    order: (verb, reason) => order(database, verb === "halt" ? reason : null, reason),
  });
  const server = await listen(config, token, { shards: shards.all, routes }, host, log);
  const withdraw = await announceDaemon(config, { url: server.url, tokenFile: token.file }, host, log);
  const modules: ShardModules = {
    host,
    database,
    bot: { clock, version, commit, log, metrics, tell, supervise: calls.supervise },
    http: { url: server.url, tokenFile: token.file, shards },
    fenceKeys,
    bots: new Map(),
  };
  const fleetMetrics = createFleetMetrics(metrics);
  const ability = abilityOf(config, host);
  const node = new FleetNode(
    {
      self: { ...fleet, instance: Buffer.from(host.entropy.bytes(INSTANCE_BYTES)).toString("hex") },
      program: version,
      config: accountsHash(config),
      accounts,
    },
    {
      database,
      clock,
      start: (start) => startShard(config, start, modules),
      recover: async () => {
        await claimKeys(database, fleet.node, ownKeys);
        await recoverShards(config, modules);
      },
      lack: ability.lack,
      report: (event) => report(event, fleetMetrics, log),
    },
  );
  const crash = endOnCrash(host, log);
  crash.reaches({
    abandon: async () => {
      node.freeze();
      return (await Promise.all([...modules.bots.values()].map((made) => made.abandon()))).flat();
    },
  });
  calls.reaches({ holdings: () => [...modules.bots.values()].flatMap((made) => made.holdings()) });
  const unhook = listenForSignals(() => shards.halt(node.held), host, log);
  const quote = async (): Promise<ExitCode> => {
    log.info(
      { event: "ready", url: server.url, node: fleet.node, tokenFile: token.file },
      `node ${fleet.node} at ${server.url}`,
    );
    const end = await Promise.race([stopped, node.replaced.then(() => "replaced")]);
    log.info({ event: "stopping", reason: end }, `${end}: canceling and releasing every account, one after the other`);
    const isClean = await node.stop();
    if (!isClean) host.stderr(`quoin: stopped, but orders may still rest: accounts ${node.held.join(", ")}\n`);
    else log.info({ event: "stopped" }, "stopped: the exchange lists no order of ours");
    if (end === "replaced") return EXIT_FAILED;
    return isClean ? EXIT_DONE : EXIT_ORDERS_MAY_REST;
  };
  try {
    await ability.known;
    await node.start();
    // Wherever an error was thrown, bots that have started must cancel their orders.
    return await quote().catch(crash.end);
  } finally {
    unhook();
    calls.close();
    unwatchHeap();
    await ability.close();
    withdraw();
    await server.close();
  }
}

/** The node's own part of its status. */
function aboutNode({ file, hash, venue: { chainId } }: BotConfig, { clock, version, commit }: Host) {
  const startedAtMs = clock.wallMs();
  const program = { version, commit, config: hash, tokenCommand: commandText("token", file) };
  const node = { chainId, height: null, chainTimeOffsetMs: null, startedAtMs };
  return () => ({ ...program, ...node, nowMs: clock.wallMs() });
}

/** Watches whether this node can quote, over a stream of its own: an account's stream ends with the account. */
function abilityOf(config: BotConfig, host: Host): Ability {
  const venue = reachVenue(config, host);
  assert(venue !== null, "a fleet trades on no embedded exchange");
  const offsets = config.accounts.flatMap(({ markets }) => markets.map(({ limits }) => limits.maxClockOffsetMs));
  return watchAbility(Math.min(...offsets), venue, host.clock);
}

/** Returns what `read` returns; its error is a fault of the configuration, at `path` if given. Throws FleetFault. */
function configured<T>(path: string | null, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new FleetFault(`${path === null ? "" : `${path}: `}${messageOf(cause)}`);
  }
}

type NodeHttp = { readonly shards: ReadonlyMap<string, ShardHttp>; readonly routes: Routes };

/** Serves the node's HTTP. Each request that is posted goes to every account's ledger. Throws FleetFault. */
async function listen(
  config: BotConfig,
  { token }: AdminToken,
  http: NodeHttp,
  host: Host,
  log: Log,
): Promise<HttpServer> {
  const onPost: Served["onPost"] = (call) => {
    for (const shard of http.shards.values()) shard.onPost(call);
  };
  const { server } = config;
  const access = new Access(
    { ...server, token, scoped: scopedTokens(config.ledger.file, token, host, log) },
    host.clock,
  );
  try {
    return await serveHttp(server, { routes: http.routes, onPost, page: readPage("node"), access });
  } catch (cause) {
    throw new FleetFault(`server: ${server.host}:${server.port}: ${messageOf(cause)}; nothing was sent`);
  }
}

/** A running node does not reload its configuration. */
function listenForSignals(haltAll: () => void, host: Host, log: Log): () => void {
  const unhooks = [
    host.onSignal("SIGUSR2", haltAll),
    host.onSignal("SIGHUP", () =>
      log.warn({ event: "reload.refused" }, "a fleet node reads its configuration only at start; drain and restart it"),
    ),
  ];
  return () => {
    for (const unhook of unhooks) unhook();
  };
}

const says: Readonly<Record<Extract<NodeEvent, { readonly taken: unknown }>["kind"], string>> = {
  taken: "is taken",
  quoting: "is at work",
  yielded: "goes to a node that could quote it",
  released: "is given up",
  lost: "is lost: no new exposure from now on; it is canceled here",
  failed: "did not come to work here",
};

function report(
  event: NodeEvent,
  { takeovers, leaseEpoch, shardHeld }: ReturnType<typeof createFleetMetrics>,
  log: Log,
): void {
  if (!("taken" in event)) {
    log.error(
      { event: `fleet.${event.kind}` },
      event.kind === "unreachable" ? `the fleet's database: ${event.why}` : event.why,
    );
    return;
  }
  const { account, epoch, isClean } = event.taken;
  const facts = { event: `fleet.${event.kind}`, account, epoch };
  if (event.kind === "taken") {
    leaseEpoch.labels({ account }).set(epoch);
    shardHeld.labels({ account }).set(1);
    takeovers.labels({ reason: isClean ? "released" : "expired" }).inc();
  } else if (event.kind !== "quoting" && event.kind !== "yielded") shardHeld.labels({ account }).set(0);
  const why = "why" in event ? `; ${event.why}` : "";
  const level = event.kind === "lost" || event.kind === "failed" ? "error" : "info";
  log[level](facts, `account ${account} ${says[event.kind]} (epoch ${epoch})${why}`);
}
