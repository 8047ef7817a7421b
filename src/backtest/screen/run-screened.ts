// One run as a screening: the market of its seed, made once and kept, or of its recording; then the setting over it.

import type { BotConfig } from "../../bot/config/config.ts";
import type { Configuration } from "../../configuration.ts";
import type { DevnetConfig } from "../../devnet/config/config.ts";
import { queueModelName, usualQueueModel } from "../../domain/queue.ts";
import { usdc } from "../../domain/units.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import { stringifyQuoted } from "../../kernel/json.ts";
import { createPrng } from "../../kernel/prng.ts";
import type { BacktestJob, Outcome } from "../outcome.ts";
import { recordingOf } from "../recorded/recording.ts";
import { botOfSession, worldOfPaper } from "../recorded/run-recorded.ts";
import { readSession } from "../recorded/session.ts";
import { START_MS } from "../run.ts";
import { worldOf } from "../world.ts";
import { tapeOfDevnet, tapeOfSession } from "./record-tape.ts";
import { accountToScreen, type Screening, screen } from "./screen.ts";
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
  const { tape, ...rest } =
    job.recording === undefined
      ? await inMarketOfSeed(configuration, job, { cache, program })
      : inRecording(configuration.bot, job.recording.path);
  const [outcome] = screen(tape, [{ ...rest, job }]);
  if (outcome === undefined) throw new ScreenError("it has no outcome");
  return { ...outcome, line: { ...outcome.line, approximate: true } };
}

/** A market and who trades in it. */
type Screened = Omit<Screening, "job"> & { readonly tape: Tape };

/** The world of a seed is the one that a full run of it has. */
async function inMarketOfSeed(
  { bot, devnet }: Configuration,
  job: Omit<BacktestJob, "sources">,
  { cache, program }: { readonly cache: TapeCache; readonly program: string },
): Promise<Screened> {
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
  const tape = await cache.get(name, () => tapeOfDevnet(seeded, markets, span));
  const { queueModel: model, ...tooFew } = bot.usualModel ?? usualQueueModel();
  const [account] = bot.accounts;
  const known = devnet.accounts.find(({ accountId }) => accountId === account?.accountId);
  return {
    tape,
    bot,
    model,
    account: {
      collateral: account?.paper?.collateral ?? known?.collateral ?? USUAL_COLLATERAL,
      volume30d: known?.volume30d ?? usdc(0n),
    },
    world: { ...line, queueModel: queueModelName(model), ...tooFew },
  };
}

/** Equal to a paper account's. */
const USUAL_COLLATERAL = usdc(100_000_000_000n);

/** The bot, its account, its latency and its queue model are those of a full run on the recording. Throws what reading it throws. */
export function inRecording(configured: BotConfig, path: string): Screened {
  const recording = recordingOf(path);
  const session = readSession(recording);
  const bot = botOfSession(configured, recording, session);
  const { paper } = accountToScreen(bot);
  if (paper === null) throw new ScreenError("an account in a recording is on paper");
  return {
    tape: tapeOfSession(recording, session),
    bot,
    model: paper.queueModel,
    account: { collateral: paper.collateral, volume30d: usdc(0n) },
    world: worldOfPaper(paper),
  };
}
