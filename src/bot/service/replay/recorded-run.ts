// One recorded run, worked out again: the machine of the bot over the recorded inputs. Nothing is sent, nothing is read.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Instant } from "../../../kernel/clock.ts";
import { createPrng } from "../../../kernel/prng.ts";
import type { QuotedAccount, QuotedMarket } from "../../config/config.ts";
import type { Readings, Told } from "../../decider/input.ts";
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
  }

  /** Loads the strategies that the entry brings: before `play`. Rejects with StrategyFault. */
  async prepare(entry: Entry): Promise<void> {
    if (!this.#isOther) await loadFor(entry, this.#loaded);
  }

  /** The outputs of the recorded input today. Another configuration turns a market where the recorded one did. */
  play(entry: Entry): readonly Output[] {
    this.#instant = entry.instant;
    if (entry.readings !== undefined) this.#readings = readingsOf(entry.readings);
    const steps = this.#isOther ? toldAnother(entry) : [this.#told(entry)];
    // Another configuration turns a market only by the input `turn`.
    const mayTurn = !this.#isOther && entry.mayTurn !== false;
    const at = { instant: this.#instant, readings: this.#readings, mayTurn };
    return steps.flatMap((told) => this.#machine.step({ ...told, ...at }));
  }

  #told(entry: Entry): Told {
    if (entry.kind === "account") return { ...entry, quoted: this.#loaded.get(entry.quoted) as QuotedAccount };
    if (entry.kind === "requote") return { ...entry, quoted: this.#loaded.get(entry.quoted) as QuotedMarket };
    if (entry.kind === "take")
      return { ...entry, quoted: this.#loaded.get(entry.quoted) as QuotedMarket, kept: keptReads(entry.kept) };
    return entry;
  }
}

/** The inputs for another configuration: without the recorded changes of configuration, and with `turn` where a recorded market turned. */
function toldAnother(entry: Entry): readonly Told[] {
  const { decided } = entry;
  const turned = decided?.of === "turn" ? [turnOf(decided)] : [];
  switch (entry.kind) {
    case "account":
    case "requote":
    case "take":
    case "drain":
    case "drop":
    case "again":
    case "close":
    case "slot":
    case "refused":
    case "ended":
    case "settled":
      return turned;
    default:
      return [entry, ...turned];
  }
}

const turnOf = ({ accountId, marketId }: { readonly accountId: AccountId; readonly marketId: MarketId }): Told => ({
  kind: "turn",
  accountId,
  marketId,
  causeMs: null,
});

const readingsOf = ({ nonceRefusals, ...readings }: RecordedReadings): Readings => ({
  ...readings,
  nonceRefusals: new Map(nonceRefusals),
});
