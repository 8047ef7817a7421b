// Makes blocks: opens a block with the chain's own work, executes its input, and closes it under its hashes. The same code replays a logged
// block, so a live chain and its replay cannot differ.

import { assert } from "../../kernel/assert.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { encodeTransaction, type Transaction } from "../../wire/transaction.ts";
import type { AccountRow } from "../accounts/registry.ts";
import type { DevnetConfig } from "../config/config.ts";
import type { Context } from "../engine/calls.ts";
import type { ChainEvent, Receipt } from "../event.ts";
import { type EnvelopeFacts, takesNonce } from "./admission/admission.ts";
import {
  type Block,
  type BlockTransaction,
  type Entry,
  NO_HASH,
  ownHashOf,
  type Print,
  sealBlock,
  transactionsHashOf,
} from "./block.ts";
import { applyControl, type ControlAct } from "./control.ts";
import { dispatch } from "./dispatch.ts";
import type { ChainState } from "./state.ts";

/** Changes made by one transaction or by the chain itself, in order. Changes by the chain itself have the block's own hash. */
export type EventBatch = {
  readonly height: number;
  readonly timeMs: number;
  /** Computed when it is read. */
  readonly txHash: string;
  /** True if the chain itself made the changes. */
  readonly isOwn: boolean;
  /** Index of the first event in the block; with the height it identifies an event forever. */
  readonly eventIndex: number;
  readonly events: readonly ChainEvent[];
};

export type BlockMaker = {
  readonly head: () => Block;
  /** Height and time for anything executed now. */
  readonly now: () => { readonly height: number; readonly timeMs: number };
  readonly isOpen: () => boolean;
  /** True if nothing happened since the last block, so the state can be saved. */
  readonly isAtHead: () => boolean;
  readonly begin: (timeMs: number, prints: readonly Print[]) => void;
  readonly control: (act: ControlAct) => Receipt;
  readonly crowd: (account: AccountRow, transaction: Transaction) => Receipt;
  /**
   * Executes an admitted transaction: `signer` and `account` come from admission; `hash` computes the hash of its body, which fills and
   * named blocks read. `emittedMs`: time of execution.
   */
  readonly transaction: (from: {
    readonly envelope: EnvelopeFacts;
    readonly signer: string;
    readonly account: AccountRow | null;
    readonly hash: () => string;
    readonly emittedMs: number;
  }) => Receipt;
  readonly finish: () => Block;
};

export type BlockMakerOptions = {
  readonly head: Block;
  readonly chainId: string;
  /** Whether a transaction that is executed but refused uses up its nonce (x6). */
  readonly refusedNonce: DevnetConfig["refusedNonce"];
  /** False: blocks and transactions get no hashes, because no one reads them. State and root are the same. */
  readonly areNamed: boolean;
};

export function createBlockMaker(
  options: BlockMakerOptions,
  modules: { readonly state: ChainState; readonly publish: (batch: EventBatch) => void },
): BlockMaker {
  const { state, publish } = modules;
  let head = options.head;
  let open = emptyBlock(head);

  /** `isOwn`: done by the chain itself, not requested by a transaction. */
  function executed(receipt: Receipt, ctx: Context, isOwn: boolean): Receipt {
    if (receipt.status === "success") emit(receipt.events, ctx, isOwn);
    return receipt;
  }

  function emit(events: readonly ChainEvent[], ctx: Context, isOwn: boolean): void {
    if (events.length === 0) return;
    const { eventCount: eventIndex } = open;
    open.eventCount += events.length;
    publish(new Batch(ctx, { isOwn, eventIndex, events }));
  }

  function context(txHash: () => string, emittedMs?: number): Context {
    const { height, timeMs } = open;
    return new Call({ height, timeMs, emittedMs: emittedMs ?? timeMs }, txHash);
  }

  function ownContext(): Context {
    const { height } = open;
    return context(() => ownHashOf(options.chainId, height));
  }

  return {
    head: () => head,
    now: () => ({ height: open.height, timeMs: open.timeMs }),
    isOpen: () => open.isBegun,
    isAtHead: () => !open.isBegun && open.before.length === 0,
    begin(timeMs, prints) {
      assert(!open.isBegun && timeMs >= open.timeMs, "a block begins once, at a time not before its parent's");
      open.isBegun = true;
      open.timeMs = timeMs;
      const ctx = ownContext();
      for (const print of prints) {
        const receipt = state.engine.publishPrint(print.marketId, print.price, print.validUntilMs, ctx);
        if (executed(receipt, ctx, true).status === "success") open.prints.push(print);
      }
      emit(state.engine.beginBlock(ctx), ctx, true);
      emit(state.staking.release(timeMs), ctx, true);
    },
    control(act) {
      const ctx = ownContext();
      const receipt = executed(applyControl(act, ctx, state), ctx, true);
      if (receipt.status === "failed") return receipt;
      if (open.isBegun) open.entries.push({ kind: "control", act });
      else open.before.push(act);
      return receipt;
    },
    crowd(account, transaction) {
      const { accountId } = account;
      const { height, entries } = open;
      const place = `crowd ${height} ${entries.length} ${accountId}`;
      const ctx = context(() => sha256Hex(`${place} ${encodeTransaction(transaction)}`));
      const receipt = executed(dispatch(transaction, account, account.owner, ctx, state), ctx, false);
      if (receipt.status === "success") entries.push({ kind: "crowd", accountId, transaction });
      return receipt;
    },
    transaction({ envelope, signer, account, hash, emittedMs }) {
      const { transaction, nonce } = envelope;
      const ctx = context(hash, emittedMs);
      const receipt = dispatch(transaction, account, signer, ctx, state);
      const { status } = receipt;
      const commits = status === "success" || options.refusedNonce === "commits";
      if (takesNonce(envelope) && commits) state.nonces.commit(signer, nonce, open.timeMs);
      if (account !== null) state.budget.count(account.accountId);
      const named = options.areNamed ? ctx.txHash : NO_HASH;
      open.entries.push({ kind: "transaction", hash: named, status });
      open.transactions.push({ hash: named, type: transaction.type, signer, status });
      return executed(receipt, ctx, false);
    },
    finish() {
      assert(open.isBegun, "a block is begun before it is finished");
      head = blockOf(open, head, state.root.seal(), options);
      open = emptyBlock(head);
      return head;
    },
  };
}

function blockOf(open: OpenBlock, parent: Block, stateRoot: string, { areNamed }: BlockMakerOptions): Block {
  const { height, timeMs, transactions } = open;
  const made = { height, timeMs, stateRoot, transactions };
  if (!areNamed) return { ...made, hash: NO_HASH, parentHash: NO_HASH, transactionsHash: NO_HASH };
  return sealBlock({ ...made, parentHash: parent.hash, transactionsHash: transactionsHashOf(open) });
}

/** Context of an engine call; its hash is computed when it is read. */
class Call implements Context {
  readonly height: number;
  readonly timeMs: number;
  readonly emittedMs: number;
  /** The hash, or a function that computes it. */
  #txHash: string | (() => string);

  constructor({ height, timeMs, emittedMs }: Omit<Context, "txHash">, make: () => string) {
    this.height = height;
    this.timeMs = timeMs;
    this.emittedMs = emittedMs;
    this.#txHash = make;
  }

  get txHash(): string {
    if (typeof this.#txHash !== "string") this.#txHash = this.#txHash();
    return this.#txHash;
  }
}

/** Changes of one call. */
class Batch implements EventBatch {
  readonly height: number;
  readonly timeMs: number;
  readonly isOwn: boolean;
  readonly eventIndex: number;
  readonly events: readonly ChainEvent[];
  readonly #call: Context;

  constructor(call: Context, { isOwn, eventIndex, events }: Pick<EventBatch, "isOwn" | "eventIndex" | "events">) {
    this.height = call.height;
    this.timeMs = call.timeMs;
    this.isOwn = isOwn;
    this.eventIndex = eventIndex;
    this.events = events;
    this.#call = call;
  }

  get txHash(): string {
    return this.#call.txHash;
  }
}

/** The block in progress; the only mutable thing here. */
type OpenBlock = {
  readonly height: number;
  timeMs: number;
  isBegun: boolean;
  eventCount: number;
  readonly transactions: BlockTransaction[];
  readonly before: ControlAct[];
  readonly prints: Print[];
  readonly entries: Entry[];
};

const emptyBlock = (parent: Block): OpenBlock => ({
  height: parent.height + 1,
  timeMs: parent.timeMs,
  isBegun: false,
  eventCount: 0,
  transactions: [],
  before: [],
  prints: [],
  entries: [],
});
