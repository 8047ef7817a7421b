// What the outside may do to a running daemon: halt, reduce, resume, and close what is held. By HTTP and by signal it is the same.

import type { AccountId } from "../../../domain/units.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { BotModules, BotParts } from "../lifecycle/build.ts";
import { readAccount } from "../loop/reads.ts";
import { Clearing } from "./clearing.ts";
import { type Flattened, type FlattenOptions, flattenAccount } from "./flatten.ts";
import { type OperatorRefusal, type OperatorRequest, type OperatorVerb, operate } from "./operator.ts";

export class Control {
  readonly #parts: BotParts;
  readonly #modules: BotModules;
  readonly #clearing: Clearing;
  #flattening: Promise<readonly Flattened[]> | null = null;
  #isStopping = false;

  constructor(parts: BotParts, modules: BotModules) {
    this.#parts = parts;
    this.#modules = modules;
    this.#clearing = new Clearing({ ...modules, executions: parts.executions });
  }

  /** Returns the desks it acted on. An account that is halted is cleared of every order from this instant, quoted market or not. */
  operate(verb: OperatorVerb, request: OperatorRequest): readonly AccountDesk[] | OperatorRefusal {
    const { config, desks } = this.#parts;
    const daemon = { chainId: config.venue.chainId, desks, wallMs: this.#modules.clock.wallMs() };
    const done = operate(verb, request, daemon);
    if ("kind" in done || verb !== "halt" || request.marketId !== null || this.#isStopping) return done;
    for (const desk of done) void this.#clearing.clear(desk.accountId, () => desk.isHalted());
    return done;
  }

  /** Every account at once; a second call joins the first. Null, and nothing is done, while a market is not halted. Never rejects. */
  flatten(options: FlattenOptions): Promise<readonly Flattened[]> | null {
    const { desks } = this.#parts;
    if (![...desks.values()].every((desk) => desk.isHalted())) return null;
    this.#flattening ??= Promise.all([...desks.values()].map((desk) => this.#flattenOne(desk, options))).finally(() => {
      this.#flattening = null;
    });
    return this.#flattening;
  }

  /** Nothing may rest when the key ends: in quoted markets quotes have gone by then, and the rest goes with this. */
  clearBeforeKeyEnds(account: AccountId, isEnding: () => boolean): void {
    if (!this.#isStopping) void this.#clearing.clear(account, isEnding);
  }

  /** What is under way ends at its next step; resolves when nothing is. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#flattening;
    await this.#clearing.idle();
  }

  async #flattenOne(desk: AccountDesk, options: FlattenOptions): Promise<Flattened> {
    const { executions, venue, loop } = this.#parts;
    const { clock, log } = this.#modules;
    const { accountId } = desk;
    const execution = executions.get(accountId);
    if (execution === undefined) return { accountId, kind: "notFlat", lines: [`account ${accountId} has no key`] };
    const apply = loop.apply.bind(loop);
    log.warn({ event: "flatten.started", account: `${accountId}` }, `account ${accountId}: closing what is held`);
    const result = await flattenAccount(desk, options, {
      loop,
      execution,
      clock,
      clear: () => this.#clearing.clear(accountId, () => desk.isHalted()),
      isStopping: () => this.#isStopping,
      readAccount: (account) => readAccount(account, { reads: venue.reads, clock, apply }),
    });
    const { kind, lines } = result;
    const level = kind === "flat" ? "info" : "error";
    log[level](
      { event: "flatten.ended", account: `${accountId}`, kind },
      `account ${accountId}: ${kind} ${lines.join("; ")}`,
    );
    return result;
  }
}
