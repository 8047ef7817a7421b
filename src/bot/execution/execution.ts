// Execution of one account: its agent keys and their nonces. It sends the machine's submits, and nothing else.

import type { CancelAllCommand, CancelCommand } from "../../domain/command.ts";
import type { SendRefusalCode } from "../../domain/drop-reason.ts";
import type { ExecutionEvent } from "../../domain/event.ts";
import type { IntentEnd } from "../../domain/intent.ts";
import type { Recovered, SendBy, Submitted } from "../../domain/submit.ts";
import type { AccountId, Nonce } from "../../domain/units.ts";
import type { Clock, Timer } from "../../kernel/clock.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { Approved } from "../risk/approved.ts";
import { sendTiming } from "../timing.ts";
import type { AgentKey } from "./agent-key.ts";
import { NonceAllocator, type NonceLimits } from "./nonces.ts";
import { openIntentsOf } from "./open-intents.ts";
import { type Attempt, Sender, type SenderModules, type SenderOptions, type SigningKey } from "./send.ts";

export type ExecutionOptions = {
  readonly accountId: AccountId;
  readonly chainId: string;
  readonly agentKey: AgentKey;
  /** Keys of earlier runs: they fence what they signed. */
  readonly formerKeys?: readonly AgentKey[];
  readonly tooManyRequestsMeans: SenderOptions["tooManyRequestsMeans"];
  readonly nonces?: Partial<NonceLimits>;
};

export type ExecutionModules = Omit<SenderModules, "answered"> & {
  readonly clock: Clock;
  /** It was not sent. */
  readonly refused: (submit: number, code: SendRefusalCode, facts: Facts) => void;
  readonly answered: (event: ExecutionEvent, submitted: Submitted) => void;
  /** The fate of an order whose answer was lost is known. */
  readonly settled: (nonce: Nonce) => void;
  /** A transaction of an earlier run that may have landed. */
  readonly recovered: (open: Recovered) => void;
};

const usual: SendBy = { signer: null, nonce: null, isOtherTime: false };

export class Execution {
  readonly #options: ExecutionOptions;
  readonly #modules: ExecutionModules;
  readonly #sender: Sender;
  /** By fingerprint: an earlier key stays as long as the transactions that it signed. */
  readonly #keys = new Map<string, SigningKey>();
  /** The key in use. */
  #signing: SigningKey;
  /** Numbers of the attempts under way. */
  readonly #submits = new Map<Attempt, number>();
  #extending: Timer | null = null;

  constructor(options: ExecutionOptions, modules: ExecutionModules) {
    const { accountId, chainId, tooManyRequestsMeans } = options;
    this.#options = options;
    this.#modules = modules;
    for (const former of options.formerKeys ?? []) this.#signingWith(former);
    this.#signing = this.#signingWith(options.agentKey);
    this.#sender = new Sender(
      { accountId, chainId, tooManyRequestsMeans },
      { ...modules, answered: (event, attempt) => this.#answered(event, attempt) },
    );
  }

  /** Starts keeping nonces reserved. Nothing that raises exposure is sent before the first reservation is on disk. */
  start(): void {
    if (this.#extending !== null) return;
    const extend = (): void => void this.#signing.nonces.extend();
    extend();
    this.#extending = this.#modules.clock.every(sendTiming.extendMs, extend);
  }

  /** Takes an earlier run's open intents: cancels end as harmless, each other transaction is reported as one that may have landed. */
  recover(): void {
    const { journal, clock, recovered } = this.#modules;
    const open = openIntentsOf(journal.openIntents(), this.#options.accountId);
    for (const { id } of open.harmless)
      journal.end({ intentId: id, end: "harmless", txHash: null, remark: "found at start", atMs: clock.wallMs() });
    for (const unknown of open.unknown) {
      const signing = unknown.signer === null ? undefined : this.#keys.get(unknown.signer);
      signing?.nonces.adopt(unknown.nonce);
      recovered({ ...unknown, signer: signing === undefined ? null : unknown.signer });
    }
  }

  /** Sends what the guard has just passed, or a cancel. The result carries its number. */
  send(
    submit: number,
    command: Approved | CancelCommand | CancelAllCommand,
    by: SendBy | null,
    causeMs: number | null,
  ): void {
    const { signer, nonce, isOtherTime } = by ?? usual;
    const signing = signer === null ? this.#signing : (this.#keys.get(signer) ?? this.#signing);
    const attempt = this.#sender.prepare(command, signing, nonce, isOtherTime);
    if ("code" in attempt) {
      this.#modules.refused(submit, attempt.code, attempt.facts);
      return;
    }
    this.#submits.set(attempt, submit);
    this.#sender.release(attempt, causeMs);
  }

  /** The fate of a transaction whose answer was lost is known. */
  settled(signer: string | null, nonce: Nonce, intentIds: readonly number[], end: IntentEnd): void {
    if (signer !== null) this.#keys.get(signer)?.nonces.ended(nonce);
    this.#sender.settled(intentIds, end);
    // An order may have the nonce of a CancelOrder too (S5).
    if (end !== "harmless") this.#modules.settled(nonce);
  }

  /** The effects of some unexplained successes are known. */
  shown(): void {
    this.#sender.shown();
  }

  /**
   * Signs with another approved key from the next transaction on, without a pause: its nonces are reserved before it is used. The old key
   * resolves what it signed. False: the disk failed, and the old key stays.
   */
  async rotate(agentKey: AgentKey): Promise<boolean> {
    if (agentKey.publicKey === this.#signing.agentKey.publicKey) return true;
    const next = this.#signingWith(agentKey);
    if (!(await next.nonces.extend())) return false;
    next.nonces.startAbove(this.#signing.nonces.last);
    this.#signing = next;
    return true;
  }

  /** Why new exposure has had no nonce for more than a moment; null: it has one. */
  get nonceRefusal(): Facts | null {
    return this.#signing.nonces.refusal;
  }

  /** Returns what metrics and the status page show. */
  status(): { readonly fingerprint: string; readonly noncesInFlight: number } {
    const { agentKey, nonces } = this.#signing;
    return { fingerprint: agentKey.fingerprint, noncesInFlight: nonces.inFlight };
  }

  /** From now on nothing is sent and answers are ignored; call it before journal and venue close. */
  close(): void {
    this.#extending?.cancel();
    this.#sender.close();
  }

  #answered(event: ExecutionEvent, attempt: Attempt): void {
    const { nonce, timestampSec, intentId, hasOtherTime, signing } = attempt;
    const submit = this.#submits.get(attempt) ?? 0;
    this.#submits.delete(attempt);
    const signer = signing.agentKey.fingerprint;
    this.#modules.answered(event, { submit, nonce, timestampSec, intentId, hasOtherTime, signer });
  }

  #signingWith(agentKey: AgentKey): SigningKey {
    const limits = this.#options.nonces ?? {};
    const known = this.#keys.get(agentKey.fingerprint);
    const nonces = known?.nonces ?? new NonceAllocator({ signer: agentKey.fingerprint, limits }, this.#modules);
    const signing = { agentKey, nonces };
    this.#keys.set(agentKey.fingerprint, signing);
    return signing;
  }
}
