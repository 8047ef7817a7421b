// Which cancels are our own, and what became of them. An order of ours that ends by a cancel which nothing here explains was canceled by
// another key. Cancels whose answer was lost, in this life or the last, explain for as long as they may still land; one that was refused
// explains nothing: what it was aimed at was gone already.

import type { ExecutionEvent, SubmitOutcome } from "../../../domain/event.ts";
import type { StoredIntent } from "../../../domain/intent.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import { type AccountId, type MarketId, type Nonce, nonce, type OrderId } from "../../../domain/units.ts";
import { createOldestOutMap } from "../../../kernel/bounded.ts";
import type { Instant } from "../../../kernel/clock.ts";

/** Frames of what a CancelAllOrders did may come this much after its answer, or after it was given up. */
const FRAMES_MS = 10_000;
/** An order waits for its last fills no longer than this; only then is it asked who canceled it. */
const KEPT_MS = 600_000;
/** More than an exchange lets rest, many times over. */
const ORDERS_MAX = 20_000;

/** CancelOrders of one order: unanswered, and whether one was answered by anything but a refusal. */
type Attempts = { open: number; mayBeOurs: boolean };

type ResolvedEvent = Extract<ExecutionEvent, { readonly kind: "resolved" }>;

type CancelAll = {
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly nonce: Nonce;
  /** The account's last order when it was answered: what was sent afterwards it did not reach. Null while it may still land. */
  lastReached: Nonce | null;
  /** Monotonic: it may land until then. */
  readonly landsUntilMs: number;
  /** Monotonic: it explains until then; infinity while it is unanswered. */
  untilMs: number;
};

export class OwnCancels {
  /** A cancel that nobody answered may land for so long. */
  readonly #landingBoundMs: number;
  readonly #attempts = createOldestOutMap<OrderId, Attempts>(ORDERS_MAX);
  /** Nonces rise: the last order sent shows what came before an answer. */
  readonly #lastPlaced = new Map<AccountId, Nonce>();
  #all: CancelAll[] = [];

  constructor(landingBoundMs: number) {
    this.#landingBoundMs = landingBoundMs;
  }

  /** Call it with everything that is sent and answered, before it is folded. */
  note(event: ExecutionEvent): void {
    const { command } = event;
    if (command.kind === "place") this.#notePlace(command.accountId, event.nonce);
    if (command.kind === "cancel") this.#noteOne(command.orderId, event);
    if (event.kind === "answered") this.#noteNamed(event.outcome);
    if (event.kind === "resolved") this.#noteTaken(event);
    else if (command.kind === "cancelAll") this.#noteAll(command, event);
  }

  /** Cancels of an earlier life that nobody answered: they may still land, and CancelAllOrders on orders of this life too. */
  recall(intents: readonly StoredIntent[], now: Instant): void {
    for (const { command, nonce, createdMs } of intents) {
      if (command.kind === "cancel") this.#attempts.set(command.orderId, { open: 0, mayBeOurs: true });
      if (command.kind !== "cancelAll") continue;
      const { accountId, marketId } = command;
      const untilMs = now.monotonicMs + createdMs - now.wallMs + this.#landingBoundMs;
      this.#all.push({ accountId, marketId, nonce, lastReached: null, landsUntilMs: untilMs, untilMs });
    }
  }

  /** Another node of the fleet held the account: a CancelAllOrders of it may land until `untilMs`, monotonic. */
  expect(accountId: AccountId, untilMs: number): void {
    this.#all.push({ accountId, marketId: null, nonce: nonce(0n), lastReached: null, landsUntilMs: untilMs, untilMs });
  }

  /** Whether a cancel of ours ended the order, which is known to be gone since `goneMs`, monotonic. `open`: its answer will tell. */
  explains(
    accountId: AccountId,
    { orderId, marketId, nonce }: Pick<TrackedOrder, "orderId" | "marketId" | "nonce">,
    goneMs: number,
  ): "yes" | "no" | "open" {
    const reaches = (sent: CancelAll): boolean =>
      sent.accountId === accountId &&
      (sent.marketId === null || sent.marketId === marketId) &&
      (sent.lastReached === null || nonce === null || nonce <= sent.lastReached) &&
      sent.untilMs >= goneMs;
    if (this.#all.some(reaches)) return "yes";
    const attempts = orderId === null ? undefined : this.#attempts.get(orderId);
    if (attempts === undefined) return "no";
    if (attempts.mayBeOurs) return "yes";
    return attempts.open > 0 ? "open" : "no";
  }

  #lastPlacedOf(accountId: AccountId): Nonce {
    return this.#lastPlaced.get(accountId) ?? nonce(0n);
  }

  #notePlace(accountId: AccountId, placed: Nonce): void {
    if (placed > this.#lastPlacedOf(accountId)) this.#lastPlaced.set(accountId, placed);
  }

  #noteOne(orderId: OrderId, event: ExecutionEvent): void {
    const attempts = this.#attempts.get(orderId) ?? { open: 0, mayBeOurs: false };
    if (event.kind === "sent") attempts.open += 1;
    else if (event.kind === "answered") {
      attempts.open -= 1;
      attempts.mayBeOurs ||= event.outcome.kind !== "refused" && event.outcome.kind !== "notSent";
    }
    this.#attempts.set(orderId, attempts);
  }

  /** What an answer of ours names as canceled is ours for good: the order may wait long for its last fills. */
  #noteNamed(outcome: SubmitOutcome): void {
    if (outcome.kind !== "executed") return;
    for (const event of outcome.events)
      if (event.type === "orderCanceled") this.#attempts.set(event.orderId, { open: 0, mayBeOurs: true });
  }

  #noteAll(command: Pick<CancelAll, "accountId" | "marketId">, event: Exclude<ExecutionEvent, ResolvedEvent>): void {
    const { receivedMs, nonce } = event;
    this.#all = this.#all.filter(({ untilMs }) => untilMs >= receivedMs - KEPT_MS);
    if (event.kind === "sent") {
      const { accountId, marketId } = command;
      const landsUntilMs = receivedMs + this.#landingBoundMs;
      this.#all.push({
        accountId,
        marketId,
        nonce,
        lastReached: null,
        landsUntilMs,
        untilMs: Number.POSITIVE_INFINITY,
      });
    } else if (event.outcome.kind === "executed") {
      this.#noteTaken(event);
    } else if (mayStillLand(event.outcome)) {
      // A process that stood still gives it up late, and the frames of what it did wait behind.
      for (const one of this.#open(event)) one.untilMs = Math.max(one.landsUntilMs, receivedMs + FRAMES_MS);
    } else {
      this.#close(this.#open(event).slice(0, 1), event);
    }
  }

  /** The nonce is taken: no other fence that was sent with it can land. */
  #noteTaken(event: ExecutionEvent): void {
    this.#close(this.#open(event), event);
  }

  #open({ command: { accountId }, nonce }: ExecutionEvent): readonly CancelAll[] {
    return this.#all.filter((one) => one.accountId === accountId && one.nonce === nonce && one.lastReached === null);
  }

  #close(all: readonly CancelAll[], { command, receivedMs }: ExecutionEvent): void {
    for (const one of all) {
      one.lastReached = this.#lastPlacedOf(command.accountId);
      one.untilMs = receivedMs + FRAMES_MS;
    }
  }
}

/** A lost answer and a rate limit say nothing about whether it lands. */
const mayStillLand = ({ kind }: SubmitOutcome): boolean => kind === "unknown" || kind === "rateLimited";
