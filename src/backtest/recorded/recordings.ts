// The recordings that a command names, in the order of time: each is a market in which settings run.

import { basename } from "node:path";
import type { BotConfig } from "../../bot/config/config.ts";
import { recordingHash } from "../../bot/recording/reader.ts";
import type { MarketSpan } from "../backtest.ts";
import { GridError } from "../grid.ts";
import type { RecordingSource } from "../outcome.ts";
import { recordingOf } from "./recording.ts";
import { checkMarkets, daysOf } from "./run-recorded.ts";
import { type Recording, readSession, type Session, SessionError } from "./session.ts";

export type OpenRecording = {
  readonly source: RecordingSource;
  readonly recording: Recording;
  readonly session: Session;
};

/**
 * Throws GridError with the path for a recording that lacks what a run needs, lacks a market of the bots, or overlaps another in time;
 * RecordingError for one that cannot be read.
 */
export function openRecordings(
  paths: readonly string[],
  bots: readonly Pick<BotConfig, "accounts">[],
): readonly OpenRecording[] {
  const repeated = paths.find((path, nth) => paths.indexOf(path) < nth);
  if (repeated !== undefined) throw new GridError("grid_written", [`--recording ${repeated} appears twice`]);
  const short = paths.map((path) => basename(path));
  const names = new Set(short).size === paths.length ? short : paths;
  const opened = paths.map((path, nth): OpenRecording => {
    const recording = recordingOf(path);
    const session = sessionOf(path, recording, bots);
    return { source: { path, name: names[nth] ?? path, hash: recordingHash(path) }, recording, session };
  });
  const inTime = opened.toSorted((a, b) => a.session.fromMs - b.session.fromMs);
  for (const [nth, { source, session }] of inTime.entries()) {
    const before = inTime[nth - 1];
    if (before !== undefined && session.fromMs < before.session.toMs)
      throw new GridError("grid_refused", [
        `--recording ${source.path} overlaps ${before.source.path} in time: the same market would count twice`,
      ]);
  }
  return inTime;
}

function sessionOf(path: string, recording: Recording, bots: readonly Pick<BotConfig, "accounts">[]): Session {
  try {
    const session = readSession(recording);
    for (const bot of bots) checkMarkets(bot, session);
    return session;
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    throw new GridError("grid_refused", [`${path}: ${error.message}`]);
  }
}

/** Each recording as long as it lasts, less the warm-up in days. Throws GridError if the warm-up takes all of one. */
export const spansOf = (opened: readonly OpenRecording[], warmUpDays: number): readonly MarketSpan[] =>
  opened.map(({ source, session }) => {
    const lasts = daysOf(session);
    if (warmUpDays >= lasts)
      throw new GridError("grid_refused", [`${source.path} lasts ${lasts} days, which --warm-up takes all of`]);
    return { recording: source, days: lasts - warmUpDays, warmUpDays };
  });
