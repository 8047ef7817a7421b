// The synthetic counterparties of a devnet: makers, noise and informed takers, in every market, from one seed.
// They are ordinary accounts that act as a block opens. Nobody holds their keys: the owner is a hash, not a public key.

import { createHash } from "node:crypto";
import { type AccountId, accountId, usdc } from "../../domain/units.ts";
import type { Crowd } from "../chain/sources.ts";
import type { AccountConfig, DevnetConfig } from "../config/config.ts";
import { type Moment, sceneOf } from "./crowd-view.ts";
import { makerActions } from "./maker.ts";
import { drawsOf } from "./noise.ts";
import type { IndexPaths } from "./prints.ts";
import { arrivals, takerActions } from "./takers.ts";

/** Where the crowd's account numbers begin unless the configuration uses them. */
const FIRST_ACCOUNT = 900_001n;
/** A billion USDC each: fees of a busy market would need centuries to use it up, so a crowd never runs dry. */
const COLLATERAL = usdc(1_000_000_000_000_000n);
/** Draws of the crowd are apart from those of the indices, which use the seed itself. */
const SEED_OF_CROWD = 0x6372_6f77_6400_0000n;
/** A maker looks at its quotes once a second of logical time. */
const MAKER_PERIOD_MS = 1000;
const MAKER_STAGGER_MS = 370;

/** The crowd of a configuration; undefined where flow is off. Actions follow only from seed, height and reads. */
export function createCrowd(config: DevnetConfig, paths: IndexPaths): Crowd | undefined {
  const { flow } = config;
  if (!flow.enabled) return undefined;
  const accounts = crowdAccounts(config, flow.makers);
  const [noise, informed, ...makers] = accounts.map((account) => account.accountId);
  if (noise === undefined || informed === undefined) return undefined;
  const seats = seatsOf(config, paths);

  return {
    accounts,
    act: (height, logicalMs, reads) =>
      seats.flatMap(({ marketId, draw, path }) => {
        const moment = { height, logicalMs, blockTimeMs: config.blockTimeMs };
        const awake = awakeMakers(moment, makers);
        const count = arrivals(draw, moment, flow.noiseTakersPerSec);
        if (awake.length === 0 && count === 0) return [];
        const market = reads.market(marketId);
        if (market?.status !== "Active") return [];
        const scene = sceneOf({ ...moment, market }, { reads, draw, path });
        const made = awake.flatMap((maker) => makerActions(scene, { ...maker, takerSize: flow.takerSize }));
        return [...made, ...takerActions(scene, count, flow, { noise, informed })];
      }),
  };
}

/** What the crowd needs of every market, in order of their numbers. */
function seatsOf(config: DevnetConfig, paths: IndexPaths) {
  return [...paths]
    .sort(([a], [b]) => a - b)
    .map(([marketId, path]) => ({ marketId, path, draw: drawsOf(config.seed ^ SEED_OF_CROWD, marketId) }));
}

function awakeMakers(moment: Moment, makers: readonly AccountId[]): readonly { account: AccountId; rank: number }[] {
  const ranked = makers.map((account, rank) => ({ account, rank }));
  return ranked.filter(({ rank }) => {
    const since = moment.logicalMs - moment.blockTimeMs + rank * MAKER_STAGGER_MS;
    return since % MAKER_PERIOD_MS < moment.blockTimeMs;
  });
}

function crowdAccounts(config: DevnetConfig, makers: number): readonly AccountConfig[] {
  const taken = new Set<bigint>(config.accounts.map((account) => account.accountId));
  const names = ["noise", "informed", ...[...Array(makers).keys()].map((rank) => `maker-${rank}`)];
  let next = FIRST_ACCOUNT;
  return names.map((name) => {
    while (taken.has(next)) next += 1n;
    const id = next;
    next += 1n;
    return crowdAccount(accountId(id), name);
  });
}

function crowdAccount(id: AccountId, name: string): AccountConfig {
  return {
    accountId: id,
    owner: createHash("sha256").update(`crowd:${name}`).digest("hex"),
    collateral: COLLATERAL,
    native: 0n,
    masterAccountId: null,
    agents: [],
    volume30d: usdc(0n),
  };
}
