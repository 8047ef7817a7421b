// One run as a screening: the market of its seed, made once and kept, or of its recording; then the setting over it.

import type { BotConfig } from "../../bot/config/config.ts";
import type { Configuration } from "../../configuration.ts";
import type { DevnetConfig } from "../../devnet/config/config.ts";
import { queueModelName, usualQueueModel } from "../../domain/queue.ts";
import { usdc } from "../../domain/units.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import { stringifyQuoted } from "../../kernel/json.ts";
import { createPrng } from "../../kernel/prng.ts";
import type { BacktestJob, Outcome, WorldLine } from "../outcome.ts";
import { recordingOf } from "../recorded/recording.ts";
import { checkMarkets } from "../recorded/run-recorded.ts";
import { readSession } from "../recorded/session.ts";
import { START_MS } from "../run.ts";
import { worldOf } from "../world.ts";
import { tapeOfDevnet, tapeOfSession } from "./record-tape.ts";
import { type Screening, screen } from "./screen.ts";
import { ScreenError } from "./screen-exchange.ts";
import type { Tape } from "./tape.ts";
import type { TapeCache } from "./tape-cache.ts";

/** Version of the content of a tape. */
const TAPE_FORMAT = 1;

/** Rejects with ScreenError where the job cannot be screened, and like a full run. `program`: hash of the source that makes tapes. */
export async function runScreened(
  configuration: Configuration,
  job: Omit<BacktestJob, "sources">,
  { cache, program }: { readonly cache: TapeCache; readonly program: string },
): Promise<Outcome> {
  const { bot } = configuration;
  const model = usualQueueModel(bot.queueModel);
  const { tape, world } =
    job.recording === undefined
      ? await marketOfSeed(configuration, job, { cache, program })
      : marketOfRecording(bot, job.recording.path);
  const account = accountOf(configuration);
  const queueModel = queueModelName(model);
  const [outcome] = screen(tape, [{ bot, job, model, account, world: { ...world, queueModel } }]);
  if (outcome === undefined) throw new ScreenError("it has no outcome");
  return { ...outcome, line: { ...outcome.line, approximate: true } };
}

type Market = { readonly tape: Tape; readonly world: WorldLine };

/** The world of a seed is the one that a full run of it has. */
async function marketOfSeed(
  { bot, devnet }: Configuration,
  job: Omit<BacktestJob, "sources">,
  { cache, program }: { readonly cache: TapeCache; readonly program: string },
): Promise<Market> {
  if (devnet === null) throw new RangeError(`${job.file}: venue.embedded is missing: a backtest needs a devnet`);
  const { line, devnet: drawn } = worldOf(
    devnet,
    job.world === "drawn",
    createPrng(job.seed).fork("backtest").fork("world"),
  );
  const seeded: DevnetConfig = { ...drawn, seed: job.seed };
  const markets = bot.accounts.flatMap((account) => account.markets.map(({ marketId }) => marketId));
  const days = job.days + job.warmUpDays;
  const span = { startMs: START_MS - Math.round(job.warmUpDays * DAY_MS), days };
  // The accounts of others do not change a market without us.
  const name = stringifyQuoted([TAPE_FORMAT, program, { ...seeded, accounts: [] }, markets, span]);
  return { tape: await cache.get(name, () => tapeOfDevnet(seeded, markets, span)), world: line };
}

/** Throws what reading a recording throws, and RangeError where it lacks a market of the bot. */
export function marketOfRecording(bot: BotConfig, path: string): Market {
  const recording = recordingOf(path);
  const session = readSession(recording);
  checkMarkets(bot, session);
  return { tape: tapeOfSession(recording, session), world: worldOfRecording };
}

const worldOfRecording: WorldLine = {
  isDrawn: false,
  orderMs: 200,
  feedMs: 0,
  informedShare: null,
  pressureGaps: null,
  premiumPeriodSecs: {},
};

/** The account at the start of the exchange. */
function accountOf({ bot: { accounts }, devnet }: Configuration): Screening["account"] {
  const [account] = accounts;
  const known = devnet?.accounts.find(({ accountId }) => accountId === account?.accountId);
  const collateral = account?.paper?.collateral ?? known?.collateral ?? USUAL_COLLATERAL;
  return { collateral, volume30d: known?.volume30d ?? usdc(0n) };
}

/** Equal to a paper account's. */
const USUAL_COLLATERAL = usdc(100_000_000_000n);
