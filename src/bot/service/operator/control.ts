// What an operator may do to a running daemon, by HTTP or by signal: halt, reduce, resume, cancel an order, and close positions.

import type { Latch } from "../../../domain/latch.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import type { FlattenOptions } from "../../decider/input.ts";
import type { Flattened } from "../../decider/output.ts";
import { heldSinceMs } from "../../risk/latches.ts";
import type { BotModules, BotParts } from "../lifecycle/build.ts";
import { type CanceledOrder, type CancelRefusal, type CancelRequest, cancelOrder } from "./cancel-order.ts";
import { showLatch } from "./show.ts";
import {
  type Operated,
  type OperatorRefusal,
  type OperatorRequest,
  type OperatorVerb,
  operate,
} from "./trading-state.ts";

export type ControlParts = Pick<BotParts, "asks" | "chainId" | "desks" | "driver" | "ledger" | "state">;
type ControlModules = Pick<BotModules, "clock" | "log">;

export class Control {
  readonly #parts: ControlParts;
  readonly #modules: ControlModules;
  #flattening: Promise<readonly Flattened[]> | null = null;

  constructor(parts: ControlParts, modules: ControlModules) {
    this.#parts = parts;
    this.#modules = modules;
  }

  /** Returns the result for each account that it acted on. A halt acts on orders through the latch that it trips. */
  operate(verb: OperatorVerb, request: OperatorRequest): readonly Operated[] | OperatorRefusal {
    const { chainId, desks, driver, ledger } = this.#parts;
    const done = operate(verb, request, { chainId, desks, driver, ledger, heldSinceMs: this.#heldSinceMs });
    if ("kind" in done) return done;
    for (const { desk, heldAlready } of done) {
      // A repeated halt checks the orders again.
      const { accountId } = desk;
      if (verb === "halt") driver.feed({ kind: "enforceAgain", accountId, marketId: request.marketId });
      if (heldAlready !== null) this.#sayAgain(verb, request.reason, heldAlready.latch);
    }
    return done;
  }

  /** A halt must not fail with the ledger. */
  readonly #heldSinceMs = (latch: Latch): number | null => {
    try {
      return heldSinceMs(this.#parts.ledger.read.trail().latches, latch);
    } catch {
      return null;
    }
  };

  /** The first reason stays in force; the log has the new one too. */
  #sayAgain(verb: OperatorVerb, reason: string, held: Latch): void {
    const { accountId, marketId } = held;
    const place = marketId === null ? `account ${accountId}` : `market ${marketId}`;
    this.#modules.log.warn(
      { event: "latch.again", account: `${accountId}`, market: marketId, verb },
      `${place}: ${verb} asked again: ${reason}; held already by ${showLatch(held)}`,
    );
  }

  /** Cancels one order of ours. Never rejects. */
  async cancel(request: CancelRequest): Promise<CanceledOrder | CancelRefusal> {
    const { log } = this.#modules;
    const facts = { account: `${request.accountId}`, order: `${request.orderId}` };
    const name = `order ${facts.order} of account ${facts.account}`;
    const done = await cancelOrder(request, this.#parts);
    if ("kind" in done) log.warn({ event: "order.cancelRefused", ...facts }, `${name} is not canceled: ${done.why}`);
    else log.info({ event: "order.canceledByOperator", ...facts }, `${name} canceled: an operator asked for it`);
    return done;
  }

  /** Closes all positions; a second call joins the first. Null, and nothing is done, while a market is not halted. Never rejects. */
  flatten(options: FlattenOptions): Promise<readonly Flattened[]> | null {
    const { desks } = this.#parts;
    if (![...desks.values()].every((desk) => desk.isHalted())) return null;
    this.#flattening ??= Promise.all([...desks.values()].map((desk) => this.#flattenOne(desk, options))).finally(() => {
      this.#flattening = null;
    });
    return this.#flattening;
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    await this.#flattening;
  }

  async #flattenOne(desk: AccountDesk, options: FlattenOptions): Promise<Flattened> {
    const { log } = this.#modules;
    const { accountId } = desk;
    log.warn({ event: "flatten.started", account: `${accountId}` }, `account ${accountId}: closing its positions`);
    const { flattened: result } = await this.#parts.asks.ask({ kind: "flatten", accountId, options });
    const { kind, lines } = result;
    const level = kind === "flat" ? "info" : "error";
    log[level](
      { event: "flatten.ended", account: `${accountId}`, kind },
      `account ${accountId}: ${kind === "flat" ? "its positions are closed" : `not closed: ${lines.join("; ")}`}`,
    );
    return result;
  }
}
