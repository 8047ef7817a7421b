// `quoin replay`: repeats a recording decision by decision, or shows what another configuration would have decided on the same events.

import type { QuotedAccount } from "../bot/config/config.ts";
import { RecordingError } from "../bot/recording/format.ts";
import { type Recorded, recordedIn } from "../bot/recording/reader.ts";
import { differenceTexts } from "../bot/service/replay/difference-text.ts";
import { type Difference, type ReplayCounts, replay as replayAll } from "../bot/service/replay/replay.ts";
import { StrategyFault } from "../bot/strategy/loader.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "../host/host.ts";
import { readForStart } from "./read-config.ts";

export type ReplayOptions = { readonly config?: string; readonly json: boolean };

/**
 * Exit 1 when a decision differs or this version can read nothing of the recording; 2 when the path holds no recording or the configuration
 * cannot be used.
 */
export async function replay(path: string, options: ReplayOptions, host: Host): Promise<ExitCode> {
  let accounts: readonly QuotedAccount[] | null = null;
  let chainId: string | null = null;
  if (options.config !== undefined) {
    const config = await readForStart(options.config, host);
    if (config === undefined) return EXIT_USAGE;
    ({ accounts, chainId } = { accounts: config.accounts, chainId: config.venue.chainId });
  }
  const first: Difference[] = [];
  try {
    const recording = ofChain(recordedIn(host.files.resolve("", path)), accounts, chainId);
    const counts = await replayAll(recording, accounts, (difference) => {
      if (accounts === null) first.push(difference);
      else
        host.stdout(
          `${options.json ? JSON.stringify({ kind: "difference", ...shown(difference) }) : lineOf(difference)}\n`,
        );
      return accounts !== null;
    });
    host.stdout(
      `${options.json ? JSON.stringify(resultOf(counts, first[0], accounts !== null)) : textOf(counts, first[0], accounts !== null)}\n`,
    );
    return first.length > 0 ? EXIT_FAILED : EXIT_DONE;
  } catch (error) {
    if (!(error instanceof RecordingError || error instanceof StrategyFault)) throw error;
    host.stderr(`quoin: ${error.message}\n`);
    const isRecording = error instanceof RecordingError && unreplayable.has(error.code);
    return isRecording ? EXIT_FAILED : EXIT_USAGE;
  }
}

/** The path holds a recording, but nothing in it can be replayed. */
const unreplayable: ReadonlySet<RecordingError["code"]> = new Set(["empty", "continued", "otherFormat"]);

/** Throws RecordingError when the other configuration has another chain or other accounts. */
function* ofChain(
  recording: Iterable<Recorded>,
  accounts: readonly QuotedAccount[] | null,
  chainId: string | null,
): Generator<Recorded> {
  for (const recorded of recording) {
    if (recorded.kind === "life" && accounts !== null) {
      const { start, file } = recorded;
      if (start.chainId !== chainId)
        throw new RecordingError(
          "otherAccounts",
          `${file} is of chain ${start.chainId}, and the configuration of ${chainId}`,
        );
      const known = start.accounts.map(({ accountId }) => accountId);
      if (!accounts.some(({ accountId }) => known.includes(accountId)))
        throw new RecordingError(
          "otherAccounts",
          `${file} is of account ${known.join(", ")}, which the configuration does not name`,
        );
    }
    yield recorded;
  }
}

const shown = (difference: Difference) => {
  const { entry, atMs, accountId, marketId, field } = difference;
  const at = new Date(atMs).toISOString();
  return {
    entry,
    at,
    accountId: accountId === null ? null : `${accountId}`,
    marketId,
    field,
    ...differenceTexts(difference),
  };
};

function resultOf(counts: ReplayCounts, first: Difference | undefined, isOther: boolean) {
  const { events, turns, commands, differing, isCut } = counts;
  return {
    kind: "replay",
    events,
    turns,
    commands,
    ...(isOther ? { differing } : { identical: first === undefined }),
    ...(isCut ? { truncated: true } : {}),
    ...(first === undefined ? {} : { firstDifference: shown(first) }),
  };
}

const lineOf = (difference: Difference): string => {
  const { entry, at, accountId, marketId, field, recorded, replayed } = shown(difference);
  const where = accountId === null ? "" : ` account ${accountId} market ${marketId},`;
  return `${at}${where} entry ${entry}: ${field} was ${recorded}, is ${replayed}`;
};

function textOf(counts: ReplayCounts, first: Difference | undefined, isOther: boolean): string {
  const { events, turns, commands, differing, isCut, fromMs, toMs } = counts;
  const [from, to] = [fromMs, toMs].map((ms) => (ms === null ? "nothing" : new Date(ms).toISOString()));
  const what = `${events} events, ${turns} turns and ${commands} commands from ${from} to ${to}`;
  const cut = isCut ? "; the recording was cut off, and is read up to there" : "";
  if (isOther) return `${what}: ${differing} turns decide otherwise with the other configuration${cut}`;
  if (first === undefined) return `${what}: every decision came out again, bit for bit${cut}`;
  return `${what}: the first decision that came out otherwise:\n${lineOf(first)}${cut}`;
}
