// The synthetic counterparties of a devnet, in every market, from one seed. They are ordinary accounts that act when a block opens. No one
// holds their keys: the owner is a hash, not a public key.

import { createHash } from "node:crypto";
import { type AccountId, accountId, usdc } from "../../domain/units.ts";
import type { Crowd } from "../chain/sources.ts";
import type { AccountConfig, DevnetConfig, FlowSettings } from "../config/config.ts";
import { arriveUntil } from "./arrivals.ts";
import { carryOf } from "./carry.ts";
import { drawsOf } from "./draws.ts";
import { createMemory } from "./memory.ts";
import { basisTraders } from "./participants/basis-traders.ts";
import { informedTakers, snipers } from "./participants/informed.ts";
import { leveragedTrader } from "./participants/leveraged-traders.ts";
import { competingMaker } from "./participants/maker.ts";
import { manipulator } from "./participants/manipulator.ts";
import { noiseTakers } from "./participants/noise-takers.ts";
import { trendFollowers } from "./participants/trend-followers.ts";
import type { IndexPaths } from "./prints.ts";
import { knowersOf, type Participant, PPM_PER_BP, type Visit } from "./scene.ts";

/** First account number of the crowd; skips numbers that the configuration uses. */
const FIRST_ACCOUNT = 900_001n;
/** A billion USDC each: fees of a busy market would need centuries to use it up, so the crowd never runs out of money. */
const COLLATERAL = usdc(1_000_000_000_000_000n);
/** Separates the crowd's random draws from those of the indices, which use the seed itself. */
const SEED_OF_CROWD = 0x6372_6f77_6400_0000n;

/** The crowd of a configuration; undefined if flow is off. Actions depend only on seed, height, reads and memory. */
export function createCrowd(config: DevnetConfig, paths: IndexPaths): Crowd | undefined {
  const { flow, blockTimeMs } = config;
  if (!flow.enabled) return undefined;
  const participants = participantsOf(flow);
  const numbers = freeNumbers(config, participants.length);
  const gapsPerBlock = (flow.noiseTakersPerSec * blockTimeMs) / 1000;
  const seats = seatsOf(config, paths);
  const memory = createMemory({
    seats: new Map(seats.map((seat) => [seat.marketId, seat])),
    accounts: new Set(numbers),
    typical: Number(flow.takerSize),
    impactPpm: flow.impactBps * PPM_PER_BP,
    pressureGaps: flow.pressureGaps,
    knowers: knowersOf(flow),
    blockTimeMs,
    gapsPerBlock,
  });
  const cast = participants.map((participant, at) => ({ participant, account: numbers[at] ?? accountId(0n) }));

  return {
    accounts: cast.map(({ participant, account }) => crowdAccount(account, participant.name)),
    memory,
    act: (height, logicalMs, reads) =>
      seats.flatMap(({ marketId, path, carry, draw }) => {
        const opinion = memory.at(marketId, height);
        arriveUntil(opinion.arrivals, height, { draw, gapsPerBlock });
        const visit: Visit = { path, carry, draw, height, logicalMs, blockTimeMs, gapsPerBlock, opinion, flow };
        const coming = cast.filter(({ participant, account }) => participant.comes(visit, account));
        if (coming.length === 0) return [];
        const market = reads.market(marketId);
        if (market?.status !== "Active") return [];
        const scene = { ...visit, reads, market };
        return coming.flatMap(({ participant, account }) => participant.act(scene, account));
      }),
  };
}

/** In the order in which they act in a block: snipers act before the makers, all others trade on the makers' quotes. */
function participantsOf({ makers, leveragedTraders }: FlowSettings): readonly Participant[] {
  const ranks = (count: number) => [...Array(count).keys()];
  return [
    snipers,
    ...ranks(makers).map(competingMaker),
    noiseTakers,
    informedTakers,
    basisTraders,
    trendFollowers,
    ...ranks(leveragedTraders).map(leveragedTrader),
    manipulator,
  ];
}

/** The crowd's data of every market, ordered by market number. */
function seatsOf(config: DevnetConfig, paths: IndexPaths) {
  return config.markets
    .flatMap((market) => {
      const { marketId } = market;
      const path = paths.get(marketId);
      if (path === undefined) return [];
      const draw = drawsOf(config.seed ^ SEED_OF_CROWD, marketId);
      const gapsPerMs = config.flow.enabled ? config.flow.noiseTakersPerSec / 1000 : 0;
      return [{ marketId, path, carry: carryOf(path, market, { draw, gapsPerMs }), draw }];
    })
    .sort((a, b) => a.marketId - b.marketId);
}

function freeNumbers(config: DevnetConfig, count: number): readonly AccountId[] {
  const taken = new Set<bigint>(config.accounts.map((account) => account.accountId));
  const free: AccountId[] = [];
  for (let next = FIRST_ACCOUNT; free.length < count; next += 1n) if (!taken.has(next)) free.push(accountId(next));
  return free;
}

const crowdAccount = (id: AccountId, name: string): AccountConfig => ({
  accountId: id,
  owner: createHash("sha256").update(`crowd:${name}`).digest("hex"),
  collateral: COLLATERAL,
  native: 0n,
  masterAccountId: null,
  agents: [],
  volume30d: usdc(0n),
});
