// A devnet and a daemon as a user runs them: real sockets, real signatures, real files, a key made by `keygen`. They live in this process,
// but where a test kills or stops one.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAll, quoin, quoinDone, quoinProcess, type Running, type RunningProcess } from "../support/quoin.ts";

/** Of account 12. */
export const OWNER = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
/** Reads the account's indexed history; only tests have it. */
export const HISTORY_KEY = "history-of-account-12";
export const CHAIN_ID = "venue-v4:devnet:chain-2";

export type Scene = {
  readonly folder: string;
  readonly validatorUrl: string;
  readonly restUrl: string;
  readonly controlUrl: string;
  readonly devnet: Running;
  readonly botConfig: string;
};

/** The exchange is a process. */
export type ApartScene = Omit<Scene, "devnet"> & { readonly devnet: RunningProcess };

type SceneOptions = {
  /** YAML of the market's oracle; by default one that stays at 216.94 for the whole test. */
  readonly oracle?: string;
  /** Lines of the market that take the place of its funding interval, an hour. */
  readonly funding?: string;
  readonly flow?: string;
  readonly params?: string;
  /** Rows of YAML's flow style. A loaded machine may stall the daemon: that gate stays open. */
  readonly limits?: string;
  /** More accounts of the devnet, a row of YAML each. */
  readonly accounts?: string;
  /** More keys of the devnet's configuration. */
  readonly devnet?: string;
  /** Of account 12, USDC. */
  readonly collateral?: number;
  /** Another market, which is paused: it may be configured, and nothing rests there. */
  readonly pausedMarket?: number;
};

const STEADY_ORACLE = "{ source: fixed, price: 216.94, validForSecs: 86400 }";

/** Makes key and configurations in a folder of its own and starts the devnet. */
export const startScene = (options: SceneOptions = {}): Promise<Scene> => sceneOf(options, quoin);

/** The same with a devnet that may be killed and stopped. */
export const startApartScene = (options: SceneOptions = {}): Promise<ApartScene> => sceneOf(options, quoinProcess);

async function sceneOf<Devnet extends Running | RunningProcess>(
  options: SceneOptions,
  start: (args: readonly string[]) => Devnet,
): Promise<Omit<Scene, "devnet"> & { readonly devnet: Devnet }> {
  const folder = mkdtempSync(join(tmpdir(), "quoin-scenario-"));
  folders.add(folder);
  mkdirSync(join(folder, "var"));
  const { stdout } = await quoinDone(["keygen", "--out", join(folder, "agent.key")]);
  const devnetFile = join(folder, "devnet.yaml");
  const { oracle = STEADY_ORACLE, funding, flow = "{ enabled: false }", accounts = "", pausedMarket } = options;
  const paused = pausedMarket === undefined ? "" : pausedMarketYaml(pausedMarket, oracle);
  const bot = { pubkey: stdout.trim(), collateral: options.collateral ?? 100_000 };
  writeFileSync(
    devnetFile,
    `${devnetYaml(bot, `${marketYaml(oracle, funding)}${paused}`, flow, accounts)}${options.devnet ?? ""}`,
  );
  const devnet = start(["devnet", "--config", devnetFile, "--port", "0", "--rest-port", "0", "--control-port", "0"]);
  const line = await devnet.seen("the devnet's line", (text) =>
    text.split("\n").find((row) => row.includes("devnet.ready")),
  );
  const { validatorUrl, restUrl, controlUrl } = JSON.parse(line) as Pick<
    Scene,
    "validatorUrl" | "restUrl" | "controlUrl"
  >;
  const botConfig = join(folder, "bot.yaml");
  writeFileSync(botConfig, botYaml(validatorUrl, options));
  return { folder, validatorUrl, restUrl, controlUrl, devnet, botConfig };
}

type Started<Daemon> = { readonly process: Daemon; readonly url: string };

/** Starts the daemon and resolves when its HTTP listens. */
export const startDaemon = (scene: SceneFiles, options?: Parameters<typeof quoin>[1]): Promise<Started<Running>> =>
  daemonOf(scene, (args) => quoin(args, options));

/** The same with a daemon that may be killed and stopped, and whose errors that nothing catches are its own. */
export const startDaemonProcess = (scene: SceneFiles): Promise<Started<RunningProcess>> =>
  daemonOf(scene, quoinProcess);

type SceneFiles = Pick<Scene, "folder" | "botConfig">;

async function daemonOf<Daemon extends Running | RunningProcess>(
  { folder, botConfig }: SceneFiles,
  start: (args: readonly string[]) => Daemon,
): Promise<Started<Daemon>> {
  const process = start(["run", "--config", botConfig]);
  const url = await process.seen("the daemon's address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
  tokens.set(url, readFileSync(join(folder, "var", "admin.token"), "utf8").trim());
  return { process, url };
}

/** Of the daemons that were started, by their addresses. */
const tokens = new Map<string, string>();

/** What a POST to the daemon at `url` needs. */
export const postHeaders = (url: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${tokens.get(url) ?? ""}`,
  "content-type": "application/json",
});

/** The process of a daemon that was started in one. */
export function processOf(daemon: Running | RunningProcess): RunningProcess {
  if (!("child" in daemon)) throw new Error("a daemon that is killed or stopped is started with startDaemonProcess");
  return daemon;
}

/** The WebSocket of the scene's exchange. */
export const streamUrlOf = ({ validatorUrl }: Pick<Scene, "validatorUrl">): string =>
  `${validatorUrl.replace("http", "ws")}/v1/ws`;

/** Has the bot reach the exchange through proxies; an address that is left out stays the exchange's own. */
export function reachThrough(
  scene: Pick<Scene, "validatorUrl" | "botConfig">,
  { url = scene.validatorUrl, wsUrl = streamUrlOf(scene) }: { readonly url?: string; readonly wsUrl?: string },
): void {
  const config = readFileSync(scene.botConfig, "utf8");
  const direct = `validatorUrl: "${scene.validatorUrl}"`;
  if (!config.includes(direct)) throw new Error("the bot's configuration does not name the exchange");
  writeFileSync(scene.botConfig, config.replace(direct, `validatorUrl: "${url}", wsUrl: "${wsUrl}"`));
}

export const removeScene = (scene: SceneFiles): void => rmSync(scene.folder, { recursive: true, force: true });

const folders = new Set<string>();

/** Ends all that was started, and removes every scene. */
export async function endScenes(): Promise<void> {
  await endAll();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}

/** Values of one metric by its labels, as `name{labels}` prints them. */
export async function metricsOf(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const rows = text.split("\n").filter((row) => row !== "" && !row.startsWith("#"));
  return new Map(
    rows.map((row): [string, number] => [
      row.slice(0, row.lastIndexOf(" ")),
      Number(row.slice(row.lastIndexOf(" ") + 1)),
    ]),
  );
}

/** Fills of all accounts, markets and sides. */
export const fillsIn = (metrics: ReadonlyMap<string, number>): number =>
  [...metrics].reduce((sum, [name, count]) => (name.startsWith("quoin_fills_total") ? sum + count : sum), 0);

type ListedOrder = { readonly orderId: number; readonly side: "Long" | "Short"; readonly reduceOnly: boolean };

export async function openOrdersOf(validatorUrl: string): Promise<readonly ListedOrder[]> {
  const account = await (await fetch(`${validatorUrl}/v1/accounts/12`)).json();
  return (account as { openOrders: ListedOrder[] }).openOrders;
}

/** The one market of a scene's devnet. */
export const marketYaml = (oracle: string, funding = "fundingIntervalSecs: 3600"): string => `markets:
  - marketId: 1
    name: USA-HPI
    assetClass: RealEstate
    tickSize: 0.01
    initialMarginRatioBps: 500
    maintenanceMarginRatioBps: 250
    priceBandBps: 1000
    maxOpenInterest: 1000000
    ${funding}
    oracle: ${oracle}
`;

const pausedMarketYaml = (id: number, oracle: string): string =>
  marketYaml(oracle)
    .replace("markets:\n", "")
    .replace("marketId: 1", `marketId: ${id}`)
    .replace("assetClass", "status: Paused\n    assetClass");

const devnetYaml = (
  { pubkey, collateral }: { readonly pubkey: string; readonly collateral: number },
  markets: string,
  flow: string,
  accounts: string,
): string => `
chainId: ${CHAIN_ID}
blockTimeMs: 50
seed: 7
${markets}accounts:
  - { accountId: 12, owner: "${OWNER}", collateral: ${collateral}, agents: [{ pubkey: "${pubkey}", name: bot, expiresAt: 4102444800 }] }
${accounts}
apiKeys: [{ key: "${HISTORY_KEY}", owner: "${OWNER}" }]
flow: ${flow}
`;

const botYaml = (
  validatorUrl: string,
  { params, limits }: { readonly params?: string; readonly limits?: string },
): string => `
venue: { chainId: ${CHAIN_ID}, validatorUrl: "${validatorUrl}", readLagMaxMs: 250 }
accounts:
  - accountId: 12
    agentKeyFile: agent.key
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: ${params ?? "{ halfSpreadBps: 2, size: 0.2, levels: 2, stepBps: 2 }"}
        limits: { maxEventLoopLagMs: 60000, ${limits ?? "maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500"} }
server: { host: 127.0.0.1, port: 0 }
ledger: { file: var/quoin.sqlite }
`;
