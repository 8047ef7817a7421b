// Replays one recorded run: the bot's machine over the recorded inputs. Nothing is sent, nothing is read.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Instant } from "../../../kernel/clock.ts";
import { createPrng } from "../../../kernel/prng.ts";
import type { QuotedAccount, QuotedMarket } from "../../config/config.ts";
import type { InputBody, Readings } from "../../decider/input.ts";
import type { Output } from "../../decider/output.ts";
import { Machine } from "../../decider/step.ts";
import { keptReads } from "../../live/kept-reads.ts";
import type { Entry, RecordedReadings, Start } from "../../recording/entry.ts";
import { loadFor } from "./recorded-config.ts";

export class ReplayedRun {
  readonly #machine: Machine;
  readonly #isOther: boolean;
  readonly #loaded = new WeakMap<object, QuotedMarket | QuotedAccount>();
  #instant: Instant;
  #readings: Readings;

  /** `accounts`: as recorded; `isOther`: others in their place, which stay whatever the recording says of its own. */
  constructor(start: Start, accounts: readonly QuotedAccount[], isOther: boolean) {
    this.#instant = start.instant;
    this.#readings = readingsOf(start.readings);
    this.#isOther = isOther;
    const { ledgerLost, halt } = start;
    const options = {
      ...start,
      accounts,
      causes: { ledgerLost, ...(halt === null ? {} : { halt }) },
      publicKeys: new Map(start.publicKeys),
      earlierHolders: start.earlierHolders.map(({ allowances, untilMs }) => ({
        allowances: new Map(allowances),
        untilMs,
      })),
      // The recorded orders are those of the recorded configuration.
      isSending: !isOther,
    };
    this.#machine = new Machine(options, { instant: start.instant, readings: this.#readings }, keptReads(start.kept), {
      prng: createPrng(start.seed),
    });
    // It gets the reads that the recorded machine asked for, and asks for none itself.
    if (isOther) this.#step({ kind: "stopReads" }, false);
  }

  /** Loads the strategies that the entry brings: call it before `play`. Rejects with StrategyFault. */
  async prepare(entry: Entry): Promise<void> {
    if (!this.#isOther) await loadFor(entry, this.#loaded);
  }

  /** Returns today's outputs for the recorded input. Another configuration turns a market where the recorded one did. */
  play(entry: Entry): readonly Output[] {
    this.#instant = entry.instant;
    if (entry.readings !== undefined) this.#readings = readingsOf(entry.readings);
    const steps = this.#isOther ? inputsOfOther(entry) : [this.#inputOf(entry)];
    // Another configuration turns a market only by the input `turn`.
    const mayTurn = !this.#isOther && entry.mayTurn !== false;
    return steps.flatMap((body) => this.#step(body, mayTurn));
  }

  #step(body: InputBody, mayTurn: boolean): readonly Output[] {
    return this.#machine.step({ ...body, instant: this.#instant, readings: this.#readings, mayTurn });
  }

  #inputOf(entry: Entry): InputBody {
    if (entry.kind === "account") return { ...entry, quoted: this.#loaded.get(entry.quoted) as QuotedAccount };
    if (entry.kind === "requote") return { ...entry, quoted: this.#loaded.get(entry.quoted) as QuotedMarket };
    if (entry.kind === "take")
      return { ...entry, quoted: this.#loaded.get(entry.quoted) as QuotedMarket, kept: keptReads(entry.kept) };
    if (entry.kind === "start") return { kind: "start", lastOrderedMs: new Map(entry.lastOrderedMs) };
    return entry;
  }
}

/**
 * Returns the inputs for another configuration: what happened, and the recorded machine's own events, without its recorded changes of
 * configuration and its work beyond turns; with `turn` where a recorded market turned.
 */
function inputsOfOther(entry: Entry): readonly InputBody[] {
  const { decided, folded = [] } = entry;
  const turned = decided === undefined ? [] : [turnOf(decided)];
  const events = folded.map((event): InputBody => ({ kind: "event", event }));
  switch (entry.kind) {
    case "event":
      // Its reads and sends have no numbers here.
      return [{ kind: "event", event: entry.event }, ...events, ...turned];
    case "tick":
    case "look":
    case "results":
    case "equity":
    case "streamed":
    case "trip":
    case "lift":
    case "rekey":
    case "turn":
    case "slow":
    case "wake":
    case "recovered":
    case "abandon":
      return [entry, ...events, ...turned];
    case "act":
      // Both machines learn which orders the start found. After a stop nothing turns; its cancels are the recorded machine's.
      if (entry.act.kind === "found") return [entry, ...events, ...turned];
      return entry.act.kind === "stop" ? [{ kind: "abandon" }] : [...events, ...turned];
    default:
      return [...events, ...turned];
  }
}

const turnOf = ({
  accountId,
  marketId,
}: {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
}): InputBody => ({
  kind: "turn",
  accountId,
  marketId,
  causeMs: null,
});

export const readingsOf = ({ nonceRefusals, keysElsewhere, ...readings }: RecordedReadings): Readings => ({
  ...readings,
  nonceRefusals: new Map(nonceRefusals),
  keysElsewhere: new Set(keysElsewhere),
});
