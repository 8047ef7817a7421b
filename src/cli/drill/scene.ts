// What every drill uses: an exchange of its own on loopback, the orders that rest there as the exchange reports them, limits that must hold
// all the time, and waiting that names its reason.

import type { BotConfig, QuotedAccount } from "../../bot/config/config.ts";
import type { AgentKey } from "../../bot/execution/agent-key.ts";
import { createLog } from "../../bot/telemetry/log.ts";
import type { Configuration } from "../../configuration.ts";
import { keysOf } from "../../daemon/prepare.ts";
import { startEmbedded } from "../../daemon/serve-devnet.ts";
import type { Devnet } from "../../devnet/devnet.ts";
import { inventoryOf } from "../../domain/account.ts";
import type { Order } from "../../domain/order.ts";
import { type AccountId, BPS, type MarketId, price } from "../../domain/units.ts";
import type { Host } from "../../host/host.ts";
import { type Clock, sleep } from "../../kernel/clock.ts";
import { durationText } from "../../kernel/text.ts";
import { drillExchange } from "./exchange.ts";

/** A condition of the drill did not hold. The message is for the operator. */
export class DrillFailed extends Error {}

const LOOK_MS = 50;

export class Scene {
  readonly config: BotConfig;
  readonly devnet: Devnet;
  readonly keys: ReadonlyMap<AccountId, AgentKey>;
  readonly clock: Clock;
  readonly #watching: { readonly cancel: () => void };
  readonly #broken = new Set<string>();

  constructor(of: Pick<Scene, "config" | "devnet" | "keys" | "clock">) {
    this.config = of.config;
    this.devnet = of.devnet;
    this.keys = of.keys;
    this.clock = of.clock;
    this.#watching = this.clock.every(LOOK_MS, () => this.#look());
  }

  /** All orders of the configured accounts that rest at the exchange. */
  resting(): readonly Order[] {
    return this.config.accounts.flatMap(
      ({ accountId }) => this.devnet.chain.reads.account(accountId)?.openOrders ?? [],
    );
  }

  /** The resting orders that could add to a position. */
  adding(): readonly Order[] {
    return this.resting().filter(({ reduceOnly }) => !reduceOnly);
  }

  /** Whether an order rests in every market of the bot. */
  isQuoted(): boolean {
    return this.config.accounts.every(({ accountId, markets }) => {
      const orders = this.devnet.chain.reads.account(accountId)?.openOrders ?? [];
      return markets.every(({ marketId }) => orders.some((order) => order.marketId === marketId));
    });
  }

  get marketIds(): ReadonlySet<MarketId> {
    return new Set(this.config.accounts.flatMap(({ markets }) => markets.map(({ marketId }) => marketId)));
  }

  /** Publishes a print in every market, this far from the last. */
  moveIndex(bps: number): void {
    for (const market of this.marketIds) {
      const oracle = this.devnet.chain.reads.oracle(market);
      if (oracle !== undefined)
        this.devnet.chain.control.publishPrint(market, price((oracle.price * (BPS + BigInt(bps))) / BPS));
    }
  }

  /** Publishes small prints, so that quotes move and requests flow. The price ends about where it began. */
  async stir(forMs: number): Promise<void> {
    const endMs = this.clock.monotonicMs() + forMs;
    for (let step = 0; this.clock.monotonicMs() < endMs; step += 1) {
      this.moveIndex(step % 2 === 0 ? STIR_BPS : -STIR_BPS);
      await sleep(this.clock, STIR_EVERY_MS);
    }
  }

  /** Injects a fault over the devnet's control listener. */
  async fault(of: Readonly<Record<string, unknown>>): Promise<void> {
    const answer = await fetch(`${this.devnet.controlUrl}/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(of),
    });
    if (!answer.ok) throw new DrillFailed(`the devnet refuses the fault: ${await answer.text()}`);
  }

  /** Throws DrillFailed when a fault never struck, since the drill then shows nothing. */
  async struck(): Promise<void> {
    const answer = await fetch(`${this.devnet.controlUrl}/faults`);
    const { faults } = (await answer.json()) as { readonly faults: readonly { readonly hits: number }[] };
    if (faults.every(({ hits }) => hits === 0))
      throw new DrillFailed("the bot sent nothing that the fault could strike");
  }

  async endFaults(): Promise<void> {
    await fetch(`${this.devnet.controlUrl}/faults`, { method: "DELETE" });
  }

  /** Waits for a condition. Throws DrillFailed with `why()` when it does not hold in time. */
  async until(what: string, isTrue: () => boolean | Promise<boolean>, limitMs: number, why = () => ""): Promise<void> {
    const endMs = this.clock.monotonicMs() + limitMs;
    while (!(await isTrue())) {
      if (this.clock.monotonicMs() > endMs) {
        const because = why();
        throw new DrillFailed(`not within ${durationText(limitMs)}: ${what}${because === "" ? "" : ` (${because})`}`);
      }
      await sleep(this.clock, LOOK_MS);
    }
  }

  /** Throws DrillFailed as soon as the condition does not hold. */
  async holds(what: string, isTrue: () => boolean, forMs: number): Promise<void> {
    const endMs = this.clock.monotonicMs() + forMs;
    while (this.clock.monotonicMs() < endMs) {
      if (!isTrue()) throw new DrillFailed(`not true throughout: ${what}`);
      await sleep(this.clock, LOOK_MS);
    }
  }

  /** Throws DrillFailed when a limit was passed at any time. */
  async close(): Promise<void> {
    this.#watching.cancel();
    await this.devnet.close();
    const [first] = this.#broken;
    if (first !== undefined) throw new DrillFailed(first);
  }

  #look(): void {
    for (const { accountId, markets } of this.config.accounts) {
      const account = this.devnet.chain.reads.account(accountId);
      if (account === undefined) continue;
      for (const { marketId, limits } of markets) {
        const orders = account.openOrders.filter((order) => order.marketId === marketId);
        if (orders.length > limits.maxOpenOrders)
          this.#broken.add(`market ${marketId} had ${orders.length} orders, maxOpenOrders is ${limits.maxOpenOrders}`);
        const held = inventoryOf(account.positions.find((position) => position.marketId === marketId));
        if ((held < 0n ? -held : held) > limits.maxPosition)
          this.#broken.add(`market ${marketId} held more than maxPosition`);
      }
    }
  }
}

const STIR_BPS = 6;
const STIR_EVERY_MS = 300;

/** Every account with a key made for the drill. */
export async function openScene(configuration: Configuration, host: Host): Promise<Scene> {
  const bot = { ...configuration.bot, accounts: configuration.bot.accounts.map(withoutKey) };
  const log = createLog("error", { write: () => {}, terminal: false, wallMs: host.clock.wallMs });
  const keys = keysOf(bot, host);
  const devnet = await startEmbedded(drillExchange(configuration, host.files), keys, host, log);
  return new Scene({ config: configuration.bot, devnet, keys, clock: host.clock });
}

const withoutKey = (account: QuotedAccount): QuotedAccount => ({ ...account, paper: null, agentKeyFile: null });
