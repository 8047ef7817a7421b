// Begins and ends each fault in the world.

import type { BotConfig } from "../../bot/config/config.ts";
import { price, type Size, size, usdc } from "../../domain/units.ts";
import { isLag } from "../past-reads.ts";
import type { World } from "../world.ts";
import { quotedMarket } from "../world-config.ts";
import { bringMarketsBack, removeMarket } from "./drain.ts";
import type { Fault } from "./fault.ts";
import { orderByHand, protect, tradeBeside } from "./owner.ts";
import { walkBook, wrongPrint } from "./prices.ts";
import { withdraw } from "./withdrawal.ts";
import { beginWords, wordFaults } from "./word-faults.ts";

export function begin(fault: Fault, world: World): void {
  strikes[fault.kind](fault, world);
}

/** For a lasting fault. */
export function end(fault: Fault, world: World): void {
  world.networkFaults.end(fault);
  world.watchdog?.networkFaults.end(fault);
  const undo = undoes[fault.kind];
  undo?.(fault, world);
}

type Strike = (fault: Fault, world: World) => void;

const onNetwork: Strike = (fault, { networkFaults }) => networkFaults.begin(fault);

const strikes: Readonly<Record<Fault["kind"], Strike>> = {
  frames: onNetwork,
  lostAnswers: onNetwork,
  lateLanding: onNetwork,
  badAnswers: onNetwork,
  lies: onNetwork,
  hostile: onNetwork,

  foreignWords({ how }, { exchange }) {
    const [unknown = "", name] = how.split(" ");
    exchange.speech.speak({ [unknown]: name });
  },

  halfOpen({ how }, world) {
    for (const connection of world.connections()) connection.mute(how === "silent" ? "silent" : "pongsOnly");
  },

  reconnects(fault, world) {
    const { how, forMs, amount } = fault;
    const dropAll = (): void => {
      for (const connection of world.connections()) connection.drop();
    };
    if (how === "staleSnapshot") {
      world.exchange.staleSnapshots(true);
      dropAll();
    } else if (how === "storm") {
      for (let afterMs = 0; afterMs < forMs; afterMs += amount) world.clock.after(afterMs, dropAll);
    } else {
      world.networkFaults.begin(fault);
      if (how !== "channelLost") dropAll();
    }
  },

  clock(fault, world) {
    const { how, amount } = fault;
    const { daemon, machine } = world;
    if (wordFaults.has(how)) beginWords(fault, world);
    else if (how === "suspend") daemon.processRun.suspend(amount);
    else machine.step(how === "stepForward" ? amount : -amount);
  },

  node(fault, world) {
    const { amount, id } = fault;
    const { how } = fault;
    if (isLag(how)) {
      const blocks = Math.round(amount);
      world.exchange.lag({ how, blocks, prng: world.prng.fork(`lag ${id}`) });
      return;
    }
    world.networkFaults.begin(fault);
    world.watchdog?.networkFaults.begin(fault);
    for (const connection of world.connections()) {
      if (fault.how === "down") connection.drop();
      else connection.mute("silent");
    }
  },

  oracle(fault, world) {
    const { how, amount, forMs } = fault;
    const { exchange, markets } = world;
    if (how === "wrong" || how === "wrongTwice" || how === "confirmed") {
      wrongPrint(fault, world);
      return;
    }
    for (const marketId of markets) {
      if (how === "halted") exchange.act({ kind: "oracleHalted", marketId, forMs });
      else if (how === "late") exchange.act({ kind: "oracleLate", marketId, lateMs: Math.round(amount) });
      else if (how === "expired") {
        const validUntilSec = Math.floor(exchange.chain.timeMs() / 1000) - 1;
        exchange.chain.control.setOracle(marketId, { validUntilSec });
      } else exchange.act({ kind: "oracleJump", marketId, bps: Math.round(amount) });
    }
  },

  market(fault, world) {
    const { how, forMs, amount } = fault;
    const { exchange, markets, worldConfig, prng, clock } = world;
    if (how === "dust") {
      walkBook(fault, world);
      return;
    }
    if (how === "tick") {
      for (const { marketId, tickSize } of worldConfig.devnet.markets)
        exchange.chain.control.setTickSize(marketId, price(tickSize * BigInt(Math.round(amount))));
      return;
    }
    const marketId = prng.pick(markets);
    exchange.chain.control.setMarketStatus(marketId, "Paused");
    clock.after(forMs, () => exchange.chain.control.setMarketStatus(marketId, "Active"));
  },

  agentKey(fault, world) {
    if (fault.how === "rotated") {
      world.rotateKey();
      world.reload(world.config);
    } else world.disableAgent(fault.how === "expires" ? "expires" : "revoked");
  },

  disk({ how, amount }, { disk }) {
    if (how === "full") disk.isFull = true;
    else if (how === "fails") disk.failure = "simulated: no space left on device";
    else disk.flushMs = amount;
  },

  crash({ how, forMs, amount }, world) {
    if (how === "restored") {
      world.disk.takeSnapshot();
      return;
    }
    world.crash(how === "powerLost" ? "powerLost" : "killed", forMs);
    for (let again = 1; how === "loop" && again < amount; again += 1) {
      world.clock.after(again * (forMs + 300), () => world.crash("killed", forMs));
    }
  },

  terminate: ({ forMs }, world) => world.terminate(forMs),
  duplicate: ({ forMs }, world) => world.startDuplicate(forMs),
  /** Another client at our address uses the share `amount` of the rate limit. */
  rate({ forMs, amount }, { worldConfig, clock, exchange }) {
    const perSecond = worldConfig.devnet.throttle.requestsPerSecond * amount;
    if (perSecond <= 0) return;
    const taking = clock.every(1000 / perSecond, exchange.crowdOut);
    clock.after(forMs, taking.cancel);
  },

  operator(fault, world) {
    const { how, amount } = fault;
    const { exchange, account } = world;
    if (how === "deposit") exchange.chain.control.deposit(account, usdc(BigInt(Math.round(amount * 1e6))));
    else if (how === "halt") world.halt("drill of the operator");
    else if (how === "manualOrder") orderByHand(world);
    else if (how === "protects") protect(fault, world);
    else if (how === "besideAtOnce" || how === "besideWaiting") tradeBeside(fault, world);
    else if (how === "marketRemoved") removeMarket(fault, world);
    else if (how === "withdrawal") withdraw(fault, world);
    else if (how === "limitLowered") world.reload(withLimits(world.config, amount));
    else world.reload(withOtherHash(world.config));
  },

  stall: ({ how, amount, forMs }, { daemon }) => daemon.processRun.stall(how === "frozen" ? forMs : amount),

  watchdog(fault, world) {
    const { watchdog, clock } = world;
    const { how, forMs } = fault;
    if (how === "deaf") watchdog?.deafen(true);
    else if (how === "daemonCut") cutDaemon(fault, world);
    else if (how === "cutOff") watchdog?.networkFaults.begin({ ...fault, kind: "node", how: "unreachable" });
    else if (how === "lossy") watchdog?.networkFaults.begin({ ...fault, kind: "lostAnswers", how: "silence" });
    else {
      watchdog?.kill();
      clock.after(forMs, () => watchdog?.boot());
    }
  },
};

const undoes: Partial<Readonly<Record<Fault["kind"], Strike>>> = {
  clock: ({ id }, { exchange }) => exchange.words.end(id),
  reconnects: (_, { exchange }) => exchange.staleSnapshots(false),
  oracle(_, { exchange, markets }) {
    for (const marketId of markets) exchange.act({ kind: "oracleLate", marketId, lateMs: 0 });
  },
  node: (_, { exchange }) => exchange.lag(null),
  market({ how }, { exchange, worldConfig }) {
    for (const { marketId, tickSize } of how === "tick" ? worldConfig.devnet.markets : [])
      exchange.chain.control.setTickSize(marketId, tickSize);
  },
  agentKey: (_, world) => world.enableAgents(),
  crash: ({ how, amount }, world) => how === "restored" && world.crash("restored", amount),
  disk: (_, { disk }) => disk.heal(),
  operator: ({ how }, world) => how === "marketRemoved" && bringMarketsBack(world),
  watchdog: ({ how }, { watchdog }) => how === "deaf" && watchdog?.deafen(false),
};

/** Nothing passes between daemon and exchange, and neither gets an error; the watchdog has its own connection. */
function cutDaemon(fault: Fault, world: World): void {
  world.networkFaults.begin({ ...fault, kind: "node", how: "unreachable" });
  for (const connection of world.connections()) connection.mute("silent");
}

/** Reduces the position limits to a share, but never below the size of an order: a market whose orders cannot fit is rightly not quoted. */
/** Never below the size of an order: a market whose orders cannot fit is not quoted, and rightly. */
function withLimits(config: BotConfig, share: number): BotConfig {
  return withMarkets(config, ({ marketId, strategy, limits }) => {
    const lowered = (limits.maxPosition * BigInt(Math.round(share * 1000))) / 1000n;
    const { size: ofOrder } = strategy.params as { readonly size: Size };
    return quotedMarket(marketId, strategy, {
      ...limits,
      maxPosition: size(lowered > ofOrder ? lowered : ofOrder),
    });
  });
}

/** The same settings under another hash, so that every market restarts its strategy. */
const withOtherHash = (config: BotConfig): BotConfig =>
  withMarkets(config, (market) => ({ ...market, hash: `${market.hash}x`.slice(-12) }));

function withMarkets(
  config: BotConfig,
  change: (
    market: BotConfig["accounts"][number]["markets"][number],
  ) => BotConfig["accounts"][number]["markets"][number],
): BotConfig {
  return {
    ...config,
    accounts: config.accounts.map((account) => ({ ...account, markets: account.markets.map(change) })),
  };
}
