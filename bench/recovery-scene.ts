// The scene of the recovery bench: a devnet and a daemon with 50 orders in two quiet markets, each in its own process.

import { join } from "node:path";
import { operate } from "../test/support/operate.ts";
import { quoinProcess, type RunningProcess } from "../test/support/quoin.ts";
import { until } from "../test/support/until.ts";
import { CHAIN_ID, OWNER, restingIn, type Scene, startScene } from "./scene.ts";

export const BLOCK_MS = 50;
export const RESTING = 50;
const LEVELS = [13, 12] as const;
const PATIENCE_MS = 60_000;

export type Daemon = { readonly process: RunningProcess; readonly url: string };

export const startRecoveryScene = (): Promise<Scene> => startScene(devnetYaml, botYaml);

/** Resolves when the daemon is reconciled and all its orders rest. */
export async function startDaemon(scene: Scene): Promise<Daemon> {
  const process = quoinProcess(["run", "--config", join(scene.folder, "bot.yaml")]);
  const url = await process.seen("the daemon's address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
  await untilQuoting(scene, { process, url });
  return { process, url };
}

export const untilQuoting = (scene: Scene, { url }: Daemon): Promise<boolean> =>
  until(
    "reconciled and quoting",
    async () => (await fetch(`${url}/readyz`)).status === 200 && (await restingIn(scene, null)) === RESTING,
    PATIENCE_MS,
  );

export const untilNothingRests = (scene: Scene, market: number | null): Promise<boolean> =>
  until("nothing rests", async () => (await restingIn(scene, market)) === 0, PATIENCE_MS);

/** Throws if the devnet's control listener refuses. */
export async function control(
  scene: Scene,
  method: Parameters<typeof operate>[1],
  path: string,
  body: object | null,
): Promise<void> {
  const answer = await operate(scene, method, path, body ?? undefined);
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}

const devnetYaml = (pubkey: string): string => `
chainId: ${CHAIN_ID}
blockTimeMs: ${BLOCK_MS}
markets:
${LEVELS.map(
  (_, at) => `  - marketId: ${at + 1}
    name: INDEX-${at + 1}
    assetClass: RealEstate
    tickSize: 0.01
    initialMarginRatioBps: 500
    maintenanceMarginRatioBps: 250
    priceBandBps: 1000
    maxOpenInterest: 1000000
    fundingIntervalSecs: 3600
    oracle: { source: fixed, price: 216.94, validForSecs: 86400 }
`,
).join("")}accounts:
  - { accountId: 12, owner: "${OWNER}", collateral: 100000, agents: [{ pubkey: "${pubkey}", name: bot, expiresAt: 4102444800 }] }
`;

const botYaml = (validatorUrl: string): string => `
venue: { chainId: ${CHAIN_ID}, validatorUrl: "${validatorUrl}" }
accounts:
  - accountId: 12
    agentKeyFile: agent.key
    markets:
${LEVELS.map(
  (levels, at) => `      - marketId: ${at + 1}
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.2, levels: ${levels}, stepBps: 2 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 60, maxLoss: 500 }
`,
).join("")}server: { host: 127.0.0.1, port: 0 }
ledger: { file: quoin.sqlite }
`;
