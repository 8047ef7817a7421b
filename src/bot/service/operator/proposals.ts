// Changes of a parameter or limit that one token proposes and another approves. A proposal holds for the configuration that ran when it was
// made, and for ten minutes. Its id contains a hash of its text, so nobody can approve another text than the one shown. A restart drops all.

import type { Clock } from "../../../kernel/clock.ts";
import { sha256Hex } from "../../../kernel/hash.ts";
import { timeText } from "../../../kernel/text.ts";
import type { BotConfig } from "../../config/config.ts";
import type { ProposalLine } from "../../dashboard/status.ts";
import type { Log } from "../../telemetry/log.ts";
import type { CriticalEvent } from "../../telemetry/webhook-shapes.ts";
import { proposalTiming } from "../../timing.ts";
import { type ParamsRequest, requestOf } from "./params.ts";
import { fieldsOf, malformed, type OperatorRefusal } from "./trading-state.ts";

const OPEN_MAX = 20;
/** Closed proposals that are still listed. */
const CLOSED_MAX = 100;
const VALUE_LENGTH_MAX = 1000;
const SHAPE = 'the body must be {"path":"accounts.12.markets.1.params.NAME","value":VALUE,"reason":"why"}';

/** Hashes of the running configuration and of the changed one, and the differences, a sentence each. */
export type Judged = { readonly running: string; readonly makes: string; readonly difference: readonly string[] };

export type ProposalModules = {
  readonly clock: Clock;
  readonly log: Log;
  readonly tell: (event: CriticalEvent) => void;
  /** Hash of the running configuration. */
  readonly runs: () => string;
  /** Checks the change like any other, and does not apply it. */
  readonly judge: (request: ParamsRequest) => Promise<Judged | OperatorRefusal>;
  /** Applies it if it still gives the same result on the same configuration. */
  readonly carryOut: (request: ParamsRequest, judged: Judged) => Promise<BotConfig | OperatorRefusal>;
};

type Proposal = {
  readonly number: number;
  /** Null: the administrator. */
  readonly token: string | null;
  readonly request: ParamsRequest;
  readonly judged: Judged;
  readonly expiresMs: number;
  readonly line: Omit<ProposalLine, "state">;
  state: ProposalLine["state"];
  /** While an approval is applied, no other decision is taken. */
  isInWork: boolean;
};

export const verdicts = { approve: "approved", refuse: "refused" } as const;
export type Verdict = keyof typeof verdicts;

export class Proposals {
  readonly #modules: ProposalModules;
  #all: readonly Proposal[] = [];
  #count = 0;
  /** Number of proposals that are being checked. */
  #coming = 0;
  /** When each token last proposed, monotonic. */
  readonly #askedMs = new Map<string | null, number>();

  constructor(modules: ProposalModules) {
    this.#modules = modules;
  }

  /** Oldest first. */
  list(): readonly ProposalLine[] {
    this.#look();
    return this.#all.map(({ line, state }) => ({ ...line, state }));
  }

  /** `token`: name of the proposer's; null: the administrator's. */
  async propose(body: string, token: string | null): Promise<ProposalLine | OperatorRefusal> {
    const busy = this.#busy(token);
    if (busy !== null) return busy;
    const { path, value, reason, ...unknown } = fieldsOf(body) ?? {};
    if (typeof path !== "string" || value === undefined || Object.keys(unknown).length > 0) return malformed(SHAPE);
    if (canonicalJson(value).length > VALUE_LENGTH_MAX)
      return malformed(`a proposed value has at most ${VALUE_LENGTH_MAX} characters`);
    const request = requestOf(path, value, reason);
    if ("kind" in request) return request;
    this.#coming += 1;
    const judged = await this.#modules.judge(request).finally(() => {
      this.#coming -= 1;
    });
    if ("kind" in judged) return judged;
    if (judged.difference.length === 0) return malformed(`${path} is ${canonicalJson(value)} already`);
    return this.#add({ path, value, request, judged }, token);
  }

  /** Decides once. `token`: name of the decider's; null: the administrator's. */
  async decide(id: string, verdict: Verdict, token: string | null): Promise<ProposalLine | OperatorRefusal> {
    this.#look();
    const found = this.#all.find(({ line }) => line.id === id);
    if (found === undefined) return this.#unknown(id);
    const { number, state } = found;
    if (state !== "open") return closed(`proposal ${number} is ${state}`);
    if (found.isInWork) return closed(`proposal ${number} is being carried out`);
    if (found.token === token) return closed(`proposal ${number} is your own: another token decides on it`);
    if (verdict === "approve") {
      found.isInWork = true;
      const done = await this.#modules.carryOut(found.request, found.judged).finally(() => {
        found.isInWork = false;
      });
      if ("kind" in done) {
        if (done.kind === "closed") found.state = "stale";
        return done;
      }
    }
    found.state = verdicts[verdict];
    const by = nameOf(token);
    const { difference } = found.line;
    this.#modules.log.warn(
      { event: `proposal.${found.state}`, proposal: id, by },
      `proposal ${number} of ${found.line.by} is ${found.state} by ${by}: ${difference.join("; ")}`,
    );
    return { ...found.line, state: found.state };
  }

  #add(
    { path, value, request, judged }: Pick<Proposal, "request" | "judged"> & Pick<ProposalLine, "path" | "value">,
    token: string | null,
  ): ProposalLine {
    const { clock, log, tell } = this.#modules;
    this.#count += 1;
    const number = this.#count;
    const expiresAt = timeText(clock.wallMs() + proposalTiming.lastsMs);
    const text = canonicalJson({ changes: [{ path, value }], config: judged.running, expiresAt, number });
    const { difference } = judged;
    const line = {
      id: `${number}-${sha256Hex(text).slice(0, 12)}`,
      path,
      value,
      by: nameOf(token),
      reason: request.reason,
      difference,
      expiresAt,
      text,
    };
    const expiresMs = clock.monotonicMs() + proposalTiming.lastsMs;
    this.#all = [...this.#all, { number, token, request, judged, expiresMs, line, state: "open", isInWork: false }];
    const said = `${line.by} proposes ${difference.join("; ")} (its reason: ${line.reason}); approve or refuse proposal ${line.id} by ${expiresAt}`;
    log.warn({ event: "proposal.made", proposal: line.id, by: line.by }, said);
    const { accountId, marketId } = request;
    const reason = `${said}, with another token`;
    tell({ event: "proposal.made", account: `${accountId}`, market: marketId, reason, atMs: clock.wallMs() });
    return { ...line, state: "open" };
  }

  /** A change of the configuration closes a proposal for good, even if it is taken back later. */
  #look(): void {
    const nowMs = this.#modules.clock.monotonicMs();
    const runs = this.#modules.runs();
    for (const proposal of this.#all) {
      if (proposal.state !== "open" || proposal.isInWork) continue;
      if (nowMs >= proposal.expiresMs) proposal.state = "expired";
      else if (proposal.judged.running !== runs) proposal.state = "stale";
    }
    const past = this.#all.filter(({ state }) => state !== "open");
    const dropped = new Set(past.slice(0, Math.max(0, past.length - CLOSED_MAX)));
    if (dropped.size > 0) this.#all = this.#all.filter((proposal) => !dropped.has(proposal));
  }

  #busy(token: string | null): OperatorRefusal | null {
    this.#look();
    const nowMs = this.#modules.clock.monotonicMs();
    for (const [name, atMs] of this.#askedMs) if (nowMs - atMs >= proposalTiming.everyMs) this.#askedMs.delete(name);
    if (this.#askedMs.has(token)) return { kind: "busy", why: "a token proposes at most once a second" };
    this.#askedMs.set(token, nowMs);
    const open = this.#all.filter(({ state }) => state === "open").length + this.#coming;
    return open >= OPEN_MAX ? { kind: "busy", why: `${OPEN_MAX} proposals are open: decide on them first` } : null;
  }

  #unknown(id: string): OperatorRefusal {
    const number = Number(/^(\d{1,9})-/.exec(id)?.[1]);
    return this.#all.some((proposal) => proposal.number === number)
      ? closed(`proposal ${number} has another text than the one that this id names`)
      : { kind: "elsewhere", why: "no such proposal in this run of the daemon" };
  }
}

/** No token file can have this name. */
const nameOf = (token: string | null): string => token ?? "the administrator";

const closed = (why: string): OperatorRefusal => ({ kind: "closed", why });

/** JSON whose keys are sorted: equal values have equal texts. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, of: unknown) =>
    typeof of === "object" && of !== null && !Array.isArray(of)
      ? Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)))
      : of,
  );
