// Execution of one account: one agent key, its nonces and the resolver of lost answers, put together. It sends approved commands and nothing
// else; the few cancels it makes itself (fences, mass cancels) need no approval.

import type { Account, OpenOrders } from "../../domain/account.ts";
import type { CancelAllCommand, CancelCommand, Command } from "../../domain/command.ts";
import type { SendRefusalCode } from "../../domain/drop-reason.ts";
import type { ExecutionEvent, SubmitOutcome } from "../../domain/event.ts";
import type { StoredIntent } from "../../domain/intent.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Clock, Timer } from "../../kernel/clock.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { Approved } from "../risk/approved.ts";
import { sendTiming } from "../timing.ts";
import type { Venue } from "../venue/port.ts";
import type { AgentKey } from "./agent-key.ts";
import type { Journal } from "./journal.ts";
import {
  defaultMassCancel,
  type MassCancelOptions,
  type MassCancelResult,
  massCancel,
  type OrderOwnership,
} from "./mass-cancel.ts";
import { NonceAllocator, type NonceLimits } from "./nonces.ts";
import { Resolver, type ResolverModules, type ResolverOptions } from "./resolver.ts";
import { Sender, type SenderModules, type SenderOptions, type SendObserver, type SigningKey } from "./send.ts";
import type { ChainTime } from "./send-time.ts";

export type ExecutionOptions = {
  readonly accountId: AccountId;
  readonly chainId: string;
  readonly agentKey: AgentKey;
  /** Keys of earlier runs: what they signed is fenced with them. */
  readonly formerKeys?: readonly AgentKey[];
  readonly tooManyRequestsMeans: SenderOptions["tooManyRequestsMeans"];
  readonly landingBoundMs: ResolverOptions["landingBoundMs"];
  readonly readLagMaxMs: MassCancelOptions["readLagMaxMs"];
  readonly nonces?: Partial<NonceLimits>;
  readonly resolver?: Partial<Omit<ResolverOptions, "accountId" | "landingBoundMs">>;
};

export type ExecutionModules = {
  readonly clock: Clock;
  readonly venue: Pick<Venue, "submit">;
  readonly journal: Journal;
  /** Chain time now; null while it is not known. */
  readonly chainTime: () => ChainTime | null;
  readonly admits: SenderModules["admits"];
  readonly fold: (event: ExecutionEvent) => void;
  readonly recovered: ResolverModules["recovered"];
  readonly onResolving: ResolverModules["onResolving"];
  /** Told what became of each `send`, by its number: it was not sent; its last answer has come; what a lost answer meant is settled. */
  readonly onRefused: (submit: number, code: SendRefusalCode, facts: Facts) => void;
  readonly onEnded: (submit: number, outcome: SubmitOutcome["kind"]) => void;
  readonly onSettled: (submit: number) => void;
  /** Orders of the market, or with null of all, that are on their way. */
  readonly mayRest: (market: MarketId | null) => number;
  readonly ownership: OrderOwnership;
  /** Reads the account and folds it. Rejects when that failed. */
  readonly readAccount: (account: AccountId) => Promise<Account>;
  /** Reads its open orders alone, the second witness. Rejects when that failed. */
  readonly readOrders: (account: AccountId) => Promise<OpenOrders>;
  readonly isOpen: ResolverModules["isOpen"];
  readonly observe: ExecutionObserver;
};

/** Told of what happens, for metrics; must not throw. */
export type ExecutionObserver = SendObserver & Pick<ResolverModules, "onStep">;

export class Execution {
  readonly #options: ExecutionOptions;
  readonly #modules: ExecutionModules;
  readonly #sender: Sender;
  readonly #resolver: Resolver;
  /** The key in use; an earlier one lives on with the transactions it signed. */
  #signing: SigningKey;
  #extending: Timer | null = null;
  /** Cancels of our own that are not answered. */
  #ownUnderWay = 0;
  #isClosed = false;

  constructor(options: ExecutionOptions, modules: ExecutionModules) {
    const { accountId, chainId, tooManyRequestsMeans, landingBoundMs } = options;
    const { observe } = modules;
    this.#options = options;
    this.#modules = modules;
    this.#signing = this.#signingWith(options.agentKey);
    const signing = (): SigningKey => this.#signing;
    this.#sender = new Sender({ accountId, chainId, tooManyRequestsMeans }, modules);
    this.#resolver = new Resolver(
      { ...options.resolver, accountId, landingBoundMs },
      { ...modules, signing, sender: this.#sender, ...modules.ownership, onStep: observe.onStep },
    );
  }

  /** Begins to keep nonces reserved. Nothing that raises exposure is sent before the first reservation is on disk. */
  start(): void {
    if (this.#extending !== null) return;
    const extend = (): void => void this.#signing.nonces.extend();
    extend();
    this.#extending = this.#modules.clock.every(sendTiming.extendMs, extend);
  }

  /** Takes up what an earlier run left open; each is unresolved until the resolver has its verdict. */
  recover(): readonly StoredIntent[] {
    const former = (this.#options.formerKeys ?? []).map((agentKey) => this.#signingWith(agentKey));
    return this.#resolver.recover(new Map([...former, this.#signing].map((one) => [one.agentKey.fingerprint, one])));
  }

  /** Resolves when no transaction is unresolved. */
  resolved(): Promise<void> {
    return this.#resolver.idle();
  }

  /** Sends what the guard has just passed. Its number comes back with what became of it. */
  send(submit: number, command: Approved<Command>, causeMs: number | null): void {
    const { onRefused, onEnded, onSettled } = this.#modules;
    const attempt = this.#sender.prepare(command, this.#signing);
    if ("code" in attempt) {
      onRefused(submit, attempt.code, attempt.facts);
      return;
    }
    void this.#sender.release(attempt, causeMs).then(async ({ attempt: last, outcome }) => {
      if (this.#isClosed) return;
      onEnded(submit, outcome.kind);
      if (outcome.kind !== "unknown") return;
      await this.#resolver.take(last);
      if (!this.#isClosed) onSettled(submit);
    });
  }

  /** It has come to light what some successes did, whose answers did not tell. */
  shown(): void {
    this.#sender.shown();
  }

  /** Transactions whose answer was lost and that nothing has proven either way. */
  get unresolvedCount(): number {
    return this.#resolver.pending(null);
  }

  /** Sends a cancel outside any turn. Never rejects. */
  cancel(command: CancelCommand | CancelAllCommand): Promise<SubmitOutcome> {
    const attempt = this.#sender.prepare(command, this.#signing);
    if ("code" in attempt) return Promise.resolve({ kind: "notSent", why: attempt.code });
    this.#ownUnderWay += 1;
    return this.#sender.release(attempt).then(({ attempt: last, outcome }) => {
      this.#ownUnderWay -= 1;
      if (outcome.kind === "unknown") this.#sender.abandon(last);
      return outcome;
    });
  }

  /**
   * Cancels until every order in scope is over and both lists say so, or it is over itself. What keeps new orders from coming is the
   * caller's. Never rejects.
   */
  massCancel(
    {
      scope,
      deadlineMs = defaultMassCancel.deadlineMs + this.#options.readLagMaxMs,
      isBlind = defaultMassCancel.isBlind,
    }: Pick<MassCancelOptions, "scope"> & Partial<MassCancelOptions>,
    isOver = (): boolean => false,
  ): Promise<MassCancelResult> {
    const { accountId, readLagMaxMs } = this.#options;
    const { clock, ownership, readAccount, readOrders } = this.#modules;
    const { marketId } = scope;
    return massCancel(
      { accountId, scope, deadlineMs, readLagMaxMs, listsAfterMs: 0, isBlind },
      {
        ...ownership,
        clock,
        lists: [() => readAccount(accountId), () => readOrders(accountId)],
        cancel: (order) => this.cancel({ kind: "cancel", accountId, ...order }),
        cancelAll: () => this.cancel({ kind: "cancelAll", accountId, marketId, fences: null }),
        unresolved: () => this.#modules.mayRest(marketId) + this.#resolver.pending(marketId),
        isOver,
      },
    );
  }

  /**
   * Signs with another approved key from the next transaction on, without a pause: its nonces are reserved before it is used.
   * What the old key signed is resolved with the old key. False: the disk failed, and the old key stays.
   */
  async rotate(agentKey: AgentKey): Promise<boolean> {
    if (agentKey.publicKey === this.#signing.agentKey.publicKey) return true;
    const next = this.#signingWith(agentKey);
    if (!(await next.nonces.extend())) return false;
    next.nonces.startAbove(this.#signing.nonces.last);
    this.#signing = next;
    return true;
  }

  /** Why new exposure has been getting no nonce for more than a moment; null: it gets one. */
  get nonceRefusal(): Facts | null {
    return this.#signing.nonces.refusal;
  }

  /** What metrics and the status page show. */
  status() {
    const { agentKey, nonces } = this.#signing;
    return {
      fingerprint: agentKey.fingerprint,
      noncesInFlight: nonces.inFlight,
      /** Cancels of its own that are not answered. */
      underWay: this.#ownUnderWay,
      unknown: this.#resolver.pending(null),
    };
  }

  /** From now on nothing is sent and answers are ignored; call it before journal and venue close. */
  close(): void {
    this.#extending?.cancel();
    this.#isClosed = true;
    this.#resolver.stop();
    this.#sender.close();
  }

  #signingWith(agentKey: AgentKey): SigningKey {
    const limits = this.#options.nonces ?? {};
    return { agentKey, nonces: new NonceAllocator({ signer: agentKey.fingerprint, limits }, this.#modules) };
  }
}
