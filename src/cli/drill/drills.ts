// The drills in this process, one row each: what happens to the bot, what must hold, and what that shows.

import { sleep } from "../../kernel/clock.ts";
import type { DrillBot } from "./bot.ts";
import type { Scene } from "./scene.ts";

/** Resolves with a sentence on what was seen. Throws DrillFailed. */
export type Drill = (scene: Scene, subject: DrillBot) => Promise<string>;

const POST_TX = "POST /v1/tx";
/** Time until a fact that stopped coming counts as missing, after 15 s, and orders are canceled. */
const NOTICED_MS_MAX = 25_000;
const CANCELED_MS_MAX = 10_000;
const RECOVERED_MS_MAX = 40_000;
const HELD_MS = 3000;
/** Longer than a sender waits for an answer. */
const LATE_MS = 6500;
/** Larger than any print of a real-estate index, and inside the price band. */
const WRONG_PRINT_BPS = 700;

const noAdding = (scene: Scene): boolean => scene.adding().length === 0;

const recovers = (scene: Scene, subject: DrillBot): Promise<void> =>
  scene.until("reconciled and quoting again", subject.isWell, RECOVERED_MS_MAX, subject.why);

/** Requests fail for a while as quotes move. Afterwards the bot knows everything again. */
const troubled =
  (fault: Readonly<Record<string, unknown>>, { forMs, afterMs = 0 }: Span, said: string): Drill =>
  async (scene, subject) => {
    await scene.fault({ ...fault, route: POST_TX });
    await scene.stir(forMs);
    await scene.struck();
    await scene.endFaults();
    await sleep(scene.clock, afterMs);
    await recovers(scene, subject);
    return said;
  };

/** `afterMs`: time until the fault has had its effect. */
type Span = { readonly forMs: number; readonly afterMs?: number };

export const drills = {
  lostAnswers: troubled(
    { kind: "dropAfter", probability: 0.4 },
    { forMs: 6000 },
    "two of five answers were lost; every order is accounted for",
  ),
  lateLanding: troubled(
    { kind: "delay", delayMs: LATE_MS, probability: 0.4 },
    { forMs: 4000, afterMs: LATE_MS },
    "what was executed after its answer was given up was found or fenced",
  ),
  staleOracle: async (scene, subject) => {
    const { chain } = scene.devnet;
    const expire = () => {
      for (const market of scene.marketIds) chain.control.setOracle(market, { status: "Stale" });
    };
    expire();
    await scene.until("nothing that adds rests", () => noAdding(scene), CANCELED_MS_MAX);
    await scene.holds("nothing that adds rests", () => noAdding(scene), HELD_MS);
    scene.moveIndex(0);
    await recovers(scene, subject);
    return "orders went with the oracle, and came back with the next print";
  },
  wrongPrint: async (scene) => {
    scene.moveIndex(WRONG_PRINT_BPS);
    const what = `nothing that adds rests after a print ${WRONG_PRINT_BPS / 100} % away`;
    await scene.until(what, () => noAdding(scene), CANCELED_MS_MAX);
    await scene.holds(what, () => noAdding(scene), HELD_MS);
    return `a print ${WRONG_PRINT_BPS / 100} % away was not believed: nothing that adds rested`;
  },
  frozenBook: async (scene, subject) => {
    await scene.fault({ kind: "refuseStream" });
    await scene.fault({ kind: "muteStream" });
    await scene.until("nothing that adds rests while the stream says nothing", () => noAdding(scene), NOTICED_MS_MAX);
    await scene.holds("nothing that adds rests without a stream", () => noAdding(scene), HELD_MS);
    await scene.endFaults();
    await recovers(scene, subject);
    return "a stream that said nothing was noticed, and quotes came back with it";
  },
  staleReads: async (scene, subject) => {
    subject.freezeReads(true);
    await scene.stir(8000);
    subject.freezeReads(false);
    await recovers(scene, subject);
    return "reads of the account stood still for 8 s while orders moved; nothing was placed twice";
  },
  rateLimit: troubled(
    { kind: "status", status: 429, retryAfterSecs: 1, executes: false, probability: 0.7 },
    { forMs: 6000 },
    "most requests were turned away for 6 s; quotes came back",
  ),
  diskFull: async (scene, subject) => {
    subject.fillDisk(true);
    await scene.stir(1000);
    await scene.until("nothing that adds rests on a full disk", () => noAdding(scene), CANCELED_MS_MAX);
    await scene.holds("nothing that adds rests on a full disk", () => noAdding(scene), HELD_MS);
    subject.fillDisk(false);
    await recovers(scene, subject);
    return "nothing was added on a full disk, and orders could still be canceled";
  },
} satisfies Readonly<Record<string, Drill>>;
