// A fleet as its users run it: a devnet, a real PostgreSQL, and nodes, each with a folder, keys and a configuration of its own.

import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAgentKey, writeKeyFile } from "../../src/bot/execution/agent-key.ts";
import { type ShardLine, shardLines } from "../../src/bot/fleet/shards.ts";
import { accountId, nonce, price, size } from "../../src/domain/units.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { sealEnvelope } from "../../src/wire/envelope.ts";
import { publicKeyOf, SEED_BYTES } from "../../src/wire/signing.ts";
import { plainTerms } from "../../src/wire/transaction/trading.ts";
import { encodeTransaction } from "../../src/wire/transaction.ts";
import { ask, type Postgres, startPostgres } from "../support/postgres.ts";
import { quoin, quoinDone, quoinProcess, type Running, type RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { CHAIN_ID, marketYaml, OWNER } from "./daemon.ts";

export const PASSWORD = "hunter22";

export type FleetShape = {
  readonly nodes: readonly string[];
  readonly accounts: readonly string[];
  readonly leaseMs: number;
  /** The exchange takes what was signed up to 30 s less before. */
  readonly landingBoundMs: number;
  /** Nodes whose keys `node` holds for a flush fence. */
  readonly fences: (node: string) => readonly string[];
};

/** Two accounts, two nodes; b holds the keys of a. On a loaded machine minutes pass between a node's death and what lands late. */
export const twoNodes = {
  nodes: ["a", "b"],
  accounts: ["12", "13"],
  leaseMs: 3000,
  landingBoundMs: 660_000,
  fences: (node: string) => (node === "b" ? ["a"] : []),
} as const;

export type FleetScene = FleetShape & {
  readonly folder: string;
  readonly validatorUrl: string;
  readonly postgres: Postgres;
  readonly databaseUrl: string;
  readonly configOf: (node: string) => string;
};

export type FleetNodeRun = { readonly process: Running | RunningProcess; readonly url: string };
/** May be killed and stopped. */
export type FleetNodeProcess = FleetNodeRun & { readonly process: RunningProcess };

/** Every node has a key of its own for each account; one market, whose price stands still. */
export async function startFleetScene(shape: FleetShape = twoNodes): Promise<FleetScene> {
  const { nodes, accounts } = shape;
  const folder = mkdtempSync(join(tmpdir(), "quoin-fleet-"));
  const postgres = await startPostgres();
  // The password counts for nothing there; it must be seen nowhere.
  const databaseUrl = (await postgres.database("fleet")).replace("quoin@", `quoin:${PASSWORD}@`);
  const agents = new Map<string, string[]>(accounts.map((account) => [account, []]));
  for (const node of nodes) {
    mkdirSync(join(folder, node, "var"), { recursive: true });
    writeFileSync(join(folder, node, "database.url"), `${databaseUrl}\n`, { mode: 0o600 });
    for (const account of accounts) {
      const seed = randomBytes(SEED_BYTES);
      writeKeyFile(join(folder, node, `${node}-${account}.key`), seed);
      agents.get(account)?.push(publicKeyOf(seed));
    }
  }
  writeFileSync(join(folder, "devnet.yaml"), devnetYaml(agents, shape));
  const devnet = quoin([
    ...["devnet", "--config", join(folder, "devnet.yaml")],
    ...["--port", "0", "--rest-port", "0", "--control-port", "0"],
  ]);
  const line = await devnet.seen("the devnet's line", (text) =>
    text.split("\n").find((row) => row.includes("devnet.ready")),
  );
  const { validatorUrl } = JSON.parse(line) as { validatorUrl: string };
  const configOf = (node: string): string => join(folder, node, "bot.yaml");
  for (const node of nodes) writeFileSync(configOf(node), botYaml(validatorUrl, node, shape));
  return { ...shape, folder, validatorUrl, postgres, databaseUrl, configOf };
}

export async function removeFleetScene({ folder, postgres }: FleetScene): Promise<void> {
  await postgres.end();
  rmSync(folder, { recursive: true, force: true });
}

/** In this process. */
export const startNode = (scene: FleetScene, node: string, clock = systemClock): Promise<FleetNodeRun> =>
  nodeOf(quoin(["fleet", "run", "--config", scene.configOf(node)], { clock }));

/** In a process of its own. */
export const startNodeProcess = (scene: FleetScene, node: string): Promise<FleetNodeProcess> =>
  nodeOf(quoinProcess(["fleet", "run", "--config", scene.configOf(node)]));

async function nodeOf<Node extends Running | RunningProcess>(
  process: Node,
): Promise<{ readonly process: Node; readonly url: string }> {
  const find = (text: string) => /"event":"ready","url":"([^"]+)","node"/.exec(text)?.[1];
  return { process, url: await process.seen("the node's address", find) };
}

/** A second process by the name of `node`, on a disk of its own. */
export function startDuplicate(scene: FleetScene, node: string): Running {
  const folder = join(scene.folder, "duplicate");
  mkdirSync(join(folder, "var"), { recursive: true });
  for (const file of ["bot.yaml", "database.url", ...scene.accounts.map((account) => `${node}-${account}.key`)])
    copyFileSync(join(scene.folder, node, file), join(folder, file));
  return quoin(["fleet", "run", "--config", join(folder, "bot.yaml")]);
}

/** A node of another name, on a disk of its own, with the keys of `node`. */
export function startWithKeysOf(scene: FleetScene, node: string, name: string): Running {
  const folder = join(scene.folder, name);
  mkdirSync(join(folder, "var"), { recursive: true });
  copyFileSync(join(scene.folder, node, "database.url"), join(folder, "database.url"));
  for (const account of scene.accounts)
    copyFileSync(join(scene.folder, node, `${node}-${account}.key`), join(folder, `${name}-${account}.key`));
  writeFileSync(join(folder, "bot.yaml"), botYaml(scene.validatorUrl, name, { ...scene, fences: () => [] }));
  return quoin(["fleet", "run", "--config", join(folder, "bot.yaml")]);
}

export const fleetCommand = (scene: FleetScene, command: string, ...more: readonly string[]) =>
  quoinDone(["fleet", command, "--config", scene.configOf(scene.nodes[0] ?? ""), ...more]);

/** What `quoin fleet status` shows, without a process for each look. */
export const linesOf = ({ databaseUrl }: FleetScene): Promise<readonly ShardLine[]> =>
  shardLines((text) => ask(databaseUrl, text));

/** Ids of what rests on the account. */
export async function orderIdsOf({ validatorUrl }: FleetScene, account: string): Promise<readonly number[]> {
  const read = await (await fetch(`${validatorUrl}/v1/accounts/${account}`)).json();
  return (read as { openOrders: { orderId: string | number }[] }).openOrders.map(({ orderId }) => Number(orderId));
}

export const ordersOf = async (scene: FleetScene, account: string): Promise<number> =>
  (await orderIdsOf(scene, account)).length;

/** A buy that `node` signed at `atMs` and that reaches the exchange only now: "success", or the exchange's error. */
export async function landLate(
  { folder, validatorUrl }: FleetScene,
  {
    node,
    account,
    atMs,
    nonceMs = atMs,
  }: { readonly node: string; readonly account: string; readonly atMs: number; readonly nonceMs?: number },
): Promise<string> {
  const transactionText = encodeTransaction({
    ...plainTerms,
    type: "PlaceOrder",
    accountId: accountId(BigInt(account)),
    marketId: 1,
    side: "buy",
    orderType: "Limit",
    price: price(21_500_000_000n),
    size: size(100_000n),
    reduceOnly: false,
    postOnly: true,
    timeInForce: "GTC",
  });
  const { signer } = loadAgentKey(join(folder, node, `${node}-${account}.key`));
  const times = { nonce: nonce(BigInt(Math.trunc(nonceMs))), timestampSec: Math.floor(atMs / 1000) };
  const body = sealEnvelope({ chainId: CHAIN_ID, transactionText, ...times, signer });
  const answer = await fetch(`${validatorUrl}/v1/tx`, { method: "POST", body });
  const { status, error } = (await answer.json()) as { status?: string; error?: string };
  return status === "success" ? status : `${status ?? answer.status}: ${error}`;
}

/** Accounts that a node's own metrics say it holds, and that it quotes. */
export async function heldBy({ url }: FleetNodeRun): Promise<readonly string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^quoin_fleet_shard_held\{account="(\d+)"\} 1$/gm)].map(([, account]) => account ?? "");
}

/** Both sides of every account rest. */
export const allQuoted = (scene: FleetScene): Promise<true> =>
  until("quotes on every account", async () => {
    const counts = await Promise.all(scene.accounts.map((account) => ordersOf(scene, account)));
    return counts.every((count) => count === 4);
  });

const ORACLE =
  "{ source: synthetic, price: 216.94, printEverySecs: 20, validForSecs: 600, driftPercent: 0, volatilityPercent: 0, autocorrelation: 0 }";

const devnetYaml = (agents: ReadonlyMap<string, readonly string[]>, { landingBoundMs }: FleetShape): string => `
chainId: ${CHAIN_ID}
blockTimeMs: 50
seed: 7
timestampToleranceSecs: ${landingBoundMs / 1000 - 30}
${marketYaml(ORACLE)}accounts:
${[...agents]
  .map(([account, keys]) => {
    const rows = keys.map((key, at) => `{ pubkey: "${key}", name: node-${at}, expiresAt: 4102444800 }`);
    return `  - { accountId: ${account}, owner: "${OWNER}", collateral: 100000, agents: [${rows.join(", ")}] }`;
  })
  .join("\n")}
flow: { enabled: false }
`;

const botYaml = (
  validatorUrl: string,
  node: string,
  { accounts, leaseMs, landingBoundMs, fences }: FleetShape,
): string => `
venue: { chainId: ${CHAIN_ID}, validatorUrl: "${validatorUrl}", landingBoundMs: ${landingBoundMs} }
accounts:
${accounts
  .map(
    (account) => `  - accountId: ${account}
    agentKeyFile: "{node}-${account}.key"
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: ${account}, size: 0.2, levels: 2, stepBps: 2 }
        limits: { maxEventLoopLagMs: 60000, maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }`,
  )
  .join("\n")}
server: { host: 127.0.0.1, port: 0 }
ledger: { file: var/quoin.sqlite }
recording: { folder: recordings }
fleet:
  databaseUrlFile: database.url
  node: ${node}
  leaseMs: ${leaseMs}
  fenceKeys: [${fences(node)
    .flatMap((other) => accounts.map((account) => `../${other}/${other}-${account}.key`))
    .join(", ")}]
`;
