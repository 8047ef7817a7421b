// A run on a recorded session: the bot as it runs live, in virtual time, in the recorded market, its orders matched by the queue model of
// paper accounts. The orders of the session's own bot are removed.

import type { BotConfig, PaperConfig } from "../../bot/config/config.ts";
import { createMetrics } from "../../bot/telemetry/metrics.ts";
import { queueModelName, type UsualQueueModel, usualQueueModel } from "../../domain/queue.ts";
import { usdc } from "../../domain/units.ts";
import { DAY_MS, macrotask, microtasks } from "../../kernel/clock.ts";
import { createPrng } from "../../kernel/prng.ts";
import { quantile } from "../../kernel/quantile.ts";
import { createVirtualClock } from "../../kernel/virtual-clock.ts";
import { forgetfulStore, paperExchangeOn } from "../../paper/paper-exchange.ts";
import { createPaperVenue } from "../../paper/paper-venue.ts";
import { FaultRecord } from "../faults.ts";
import type { BacktestJob, Outcome, WorldLine } from "../outcome.ts";
import { Recorder } from "../recorder.ts";
import { keysOf, startInVirtualTime } from "../run.ts";
import { QueueExchange } from "./queue-exchange.ts";
import { QueueWatch } from "./queue-fit.ts";
import { QueueVenue } from "./queue-venue.ts";
import { type Recording, readSession, replaySession, type Session, SessionError } from "./session.ts";

/** Defaults, as of a paper account. */
const USUAL = { collateral: usdc(100_000_000_000n), latencyMs: 200 };
/** Interval of progress reports. */
const TELL_EVERY_MS = 60_000;

/** Rejects with SessionError, what the recording throws, and where the bot does not start. */
export async function runRecorded(
  configured: BotConfig,
  job: Omit<BacktestJob, "sources">,
  recording: Recording,
  tell: (share: number) => void = () => {},
): Promise<Outcome> {
  const session = readSession(recording);
  const bot = botOfSession(configured, recording, session);
  const prng = createPrng(job.seed).fork("backtest");
  const keys = keysOf(bot, prng.fork("keys"));
  const world = createVirtualClock({ startMs: session.fromMs, settle: microtasks });
  const [first] = bot.accounts;
  const paperOfFirst = first?.paper ?? { ...USUAL, ...usualQueueModel() };
  const { queueModel: model, latencyMs } = paperOfFirst;
  const accounts = bot.accounts.map(({ accountId, paper }) => ({
    accountId,
    collateral: (paper ?? USUAL).collateral,
    publicKey: keys.get(accountId)?.publicKey ?? "",
  }));
  const { chainId } = bot.venue;
  const exchange = new QueueExchange(session, { chainId, model, accounts }, world);
  const recorded = new QueueVenue(session, chainId, { exchange, clock: world });
  const paper = paperExchangeOn(
    exchange.mirrored,
    { accounts, latencyMs },
    { clock: world, prng: prng.fork("paper"), store: forgetfulStore },
  );
  const warmUpMs = Math.round(job.warmUpDays * DAY_MS);
  const recorder = new Recorder(bot, paper.chain, {
    startMs: session.fromMs + warmUpMs,
    keepsFills: job.keepsFills,
    keepsBlocks: true,
  });
  // The exchange gets its market directly, whatever the bot receives.
  const deaf = { ...paper, tell: () => {} };
  const venue = createPaperVenue({ real: recorded.venue, paper: deaf, accounts, nowMs: world.monotonicMs });
  const faults = new FaultRecord();
  const metrics = createMetrics();
  const started = startInVirtualTime(bot, keys, { venue, world, prng, metrics, onLine: faults.line });
  const lastsMs = Math.max(1, session.toMs - session.fromMs);
  const pass = async (): Promise<void> => {
    let progressMs = 0;
    for (const happened of replaySession(recording, session)) {
      await world.advance(Math.max(0, happened.wallMs - session.fromMs - world.elapsedMs()));
      recorded.happen(happened);
      if (world.elapsedMs() - progressMs < TELL_EVERY_MS) continue;
      progressMs = world.elapsedMs();
      tell(progressMs / lastsMs);
      // The thread handles messages only here while the run goes on.
      await macrotask();
    }
    await world.advance(0);
  };
  await Promise.all([started, pass()]);
  const outcome = recorder.end(job, worldOfPaper(paperOfFirst));
  await venue.close();
  return { ...faults.addedTo(outcome, metrics), simulatedMs: lastsMs - warmUpMs };
}

/** The world of a run in a recording: its latency and queue model are those of the account on paper. */
export const worldOfPaper = ({ latencyMs, queueModel, tooFewFills }: Omit<PaperConfig, "collateral">): WorldLine => ({
  isDrawn: false,
  orderMs: latencyMs,
  feedMs: 0,
  informedShare: null,
  pressureGaps: null,
  premiumPeriodSecs: {},
  queueModel: queueModelName(queueModel),
  ...(tooFewFills !== undefined && { tooFewFills }),
});

/**
 * The bot as it runs in a recording: on paper, with the collateral and the latency that the session had, its orders filled by the model
 * that the configuration names, else by the session's own fit. Throws SessionError where a market of the bot is not in the session, and
 * what the recording throws.
 */
export function botOfSession(configured: BotConfig, recording: Recording, session: Session): BotConfig {
  checkMarkets(configured, session);
  return onPaper(configured, session, usualModelIn(recording, session, configured));
}

/** Throws SessionError where a market of the bot is not in the session. */
export function checkMarkets({ accounts }: Pick<BotConfig, "accounts">, { markets }: Session): void {
  const ids = accounts.flatMap((account) => account.markets.map(({ marketId }) => marketId));
  const missing = ids.find((id) => markets.every(({ market }) => market.marketId !== id));
  if (missing === undefined) return;
  const names = markets.map(({ market }) => `${market.marketId} (${market.name})`).join(", ");
  throw new SessionError(`market ${missing} of the configuration is not in it; it has ${names}`);
}

/** The configured model, else the fit of the session: its own fills say how others leave, where there are enough of them. */
export function usualModelIn(
  recording: Recording,
  session: Session,
  { usualModel }: Pick<BotConfig, "usualModel">,
): UsualQueueModel {
  if (usualModel !== undefined) return usualModel;
  const watch = new QueueWatch(session);
  for (const happened of replaySession(recording, session)) watch.take(happened);
  return usualQueueModel({ fitted: watch.fit() });
}

/** All accounts on paper, since nobody's orders reach the exchange of a recording. `usual`: where the account names none. */
export const onPaper = (
  bot: BotConfig,
  { accounts, sendToAnswerMs }: Pick<Session, "accounts" | "sendToAnswerMs">,
  usual: UsualQueueModel,
): BotConfig => ({
  ...bot,
  accounts: bot.accounts.map((account) => {
    const real = accounts.find(({ accountId }) => accountId === account.accountId);
    const plain: PaperConfig = {
      ...usual,
      latencyMs: Math.round(quantile(sendToAnswerMs, 0.5) ?? USUAL.latencyMs),
      collateral: real?.collateral ?? USUAL.collateral,
    };
    const { paper } = account;
    return { ...account, paper: paper?.isUsualModel === true ? { ...paper, ...usual } : (paper ?? plain) };
  }),
});

/** Its duration, days. */
export const daysOf = ({ fromMs, toMs }: Session): number => Math.round((1e6 * (toMs - fromMs)) / DAY_MS) / 1e6;
