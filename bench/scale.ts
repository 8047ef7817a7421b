// Cost of an account's size: one account quotes both sides of N markets, the devnet in another process. For each N: mean and 99th
// percentile of a turn, share of a core, longest stall of the event loop, and time of a scrape.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { until } from "../test/support/until.ts";
import type { Window } from "./daemon.ts";
import { type Bench, median } from "./measure.ts";
import { CHAIN_ID, endScene, OWNER, restingIn, startScene } from "./scene.ts";

const SIZES = [10, 50, 200];
const QUICK_SIZES = [10, 20];
const DAEMON = resolve(import.meta.dirname, "daemon.ts");
type Plan = {
  readonly windows: number;
  /** Warm-up until functions are compiled; not counted. */
  readonly warmUpMs: number;
  readonly windowMs: number;
};
const PLAN: Plan = { windows: 5, warmUpMs: 5000, windowMs: 5000 };
const QUICK_PLAN: Plan = { windows: 1, warmUpMs: 0, windowMs: 1000 };
/** Time between two scrapes while turns are measured: a scrape's cost is part of the longest stall. */
const SCRAPE_EVERY_MS = 1000;

const STALL_GOAL_MS = 5;

type Figures = Window & { readonly scrapeMs: number };

export const scale: Bench = {
  name: "scale",
  async run({ quick }) {
    const beside: Record<string, number> = {};
    const means: number[] = [];
    const sizes = quick ? QUICK_SIZES : SIZES;
    for (const markets of sizes) {
      const windows = await measureAt(markets, quick ? QUICK_PLAN : PLAN);
      const figure = (key: keyof Figures) => median(windows.map((window) => window[key]));
      means.push(figure("turnMeanUs"));
      beside[`turnMeanUs${markets}`] = figure("turnMeanUs");
      beside[`turnMedianUs${markets}`] = figure("turnMedianUs");
      beside[`turnP99Us${markets}`] = figure("turnP99Us");
      beside[`turnsPerSec${markets}`] = figure("turnsPerSec");
      beside[`corePercent${markets}`] = 100 * figure("coreShare");
      beside[`stallMs${markets}`] = figure("stallMs");
      beside[`stallCpuMs${markets}`] = figure("stallCpuMs");
      beside[`scrapeMs${markets}`] = figure("scrapeMs");
    }
    const [smallest = Number.NaN, largest = Number.NaN] = [means.at(0), means.at(-1)];
    const stall = `stallCpuMs${sizes.at(-1)}`;
    return {
      name: "scale",
      value: largest,
      unit: `us a turn at ${sizes.at(-1)} markets`,
      reference: `the mean turn at ${sizes.at(0)} markets`,
      referenceValue: smallest,
      ratio: largest / smallest,
      goals: [{ figure: stall, value: beside[stall] ?? Number.NaN, unit: "ms", goal: STALL_GOAL_MS, wanted: "atMost" }],
      beside,
    };
  },
};

async function measureAt(markets: number, plan: Plan): Promise<readonly Figures[]> {
  const scene = await startScene(
    (pubkey) => devnetYaml(pubkey, markets),
    (validatorUrl) => botYaml(validatorUrl, markets),
  );
  const daemon = fork(DAEMON, [scene.folder, scene.validatorUrl]);
  try {
    const [url] = (await nextMessage(daemon)) as [string];
    await until("all quotes resting", async () => (await restingIn(scene, null)) === 2 * markets, 180_000);
    await measureTurns(daemon, plan.warmUpMs);
    const windows: Figures[] = [];
    while (windows.length < plan.windows) windows.push(await measureWindow(daemon, url, plan.windowMs));
    return windows;
  } finally {
    daemon.kill("SIGKILL");
    await endScene(scene);
  }
}

async function measureWindow(daemon: ChildProcess, url: string, forMs: number): Promise<Figures> {
  const scrapes: number[] = [];
  let isOpen = true;
  const measured = measureTurns(daemon, forMs).finally(() => {
    isOpen = false;
  });
  while (isOpen) {
    const startedMs = performance.now();
    await (await fetch(`${url}/metrics`)).text();
    scrapes.push(performance.now() - startedMs);
    await Promise.race([measured, new Promise((done) => setTimeout(done, SCRAPE_EVERY_MS))]);
  }
  return { ...(await measured), scrapeMs: median(scrapes) };
}

async function measureTurns(daemon: ChildProcess, forMs: number): Promise<Window> {
  daemon.send(forMs);
  const [window] = await nextMessage(daemon);
  return window as Window;
}

/** Throws if the daemon ends instead. */
const nextMessage = (daemon: ChildProcess): Promise<readonly unknown[]> => {
  const ended = once(daemon, "exit").then(([code]) => {
    throw new Error(`the daemon ended with ${code}`);
  });
  return Promise.race([once(daemon, "message"), ended]);
};

const numbered = (markets: number, row: (marketId: number) => string): string =>
  Array.from({ length: markets }, (_, at) => row(at + 1)).join("");

/** Each market prints every ten seconds, so that requotes grow with the number of markets and the mix of turns stays the same. */
const devnetYaml = (pubkey: string, markets: number): string => `
chainId: ${CHAIN_ID}
blockTimeMs: 200
openOrderCap: 1000
markets:
${numbered(
  markets,
  (marketId) => `  - marketId: ${marketId}
    name: INDEX-${marketId}
    tickSize: 0.01
    initialMarginRatioBps: 500
    maintenanceMarginRatioBps: 250
    maxOpenInterest: 1000000
    oracle: { source: synthetic, price: 216.94, printEverySecs: 10, validForSecs: 30 }
`,
)}accounts:
  - { accountId: 12, owner: "${OWNER}", collateral: 1000000, agents: [{ pubkey: "${pubkey}", name: bot, expiresAt: 4102444800 }] }
`;

const botYaml = (validatorUrl: string, markets: number): string => `
venue: { chainId: ${CHAIN_ID}, validatorUrl: "${validatorUrl}" }
accounts:
  - accountId: 12
    agentKeyFile: agent.key
    limits: { maxGrossNotional: 10000000 }
    markets:
${numbered(
  markets,
  (marketId) => `      - marketId: ${marketId}
        strategy: fixed-spread
        params: { halfSpreadBps: 20, size: 0.2, levels: 1 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500, killTargetMs: 60000 }
`,
)}server: { host: 127.0.0.1, port: 0 }
`;
