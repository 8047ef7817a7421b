// Makes blocks: opens one with the chain's own work, executes what comes into it, closes it under its hashes. The same maker
// replays a logged block, so a live chain and its replay cannot differ in what they do.

import { assert } from "../../kernel/assert.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import type { OpenedEnvelope } from "../../wire/envelope.ts";
import { encodeTransaction, type Transaction } from "../../wire/transaction.ts";
import type { AccountRow } from "../accounts/registry.ts";
import type { DevnetConfig } from "../config/config.ts";
import type { Context } from "../engine/calls.ts";
import type { ChainEvent, Receipt } from "../event.ts";
import { takesNonce } from "./admission/admission.ts";
import {
  type Block,
  type BlockTransaction,
  type Entry,
  ownHashOf,
  type Print,
  sealBlock,
  transactionsHashOf,
} from "./block.ts";
import { applyControl, type ControlAct } from "./control.ts";
import { dispatch } from "./dispatch.ts";
import type { ChainState } from "./state.ts";

/** Changes of one transaction, or of the chain itself, which have the block's own hash: in the order they happened. */
export type EventBatch = {
  readonly height: number;
  readonly timeMs: number;
  readonly txHash: string;
  /** Made by the chain itself. */
  readonly isOwn: boolean;
  /** Place of the first of them in the block: together with the height it identifies an event forever. */
  readonly eventIndex: number;
  readonly events: readonly ChainEvent[];
};

export type BlockMaker = {
  readonly head: () => Block;
  /** Height and time that something executed now would have. */
  readonly now: () => { readonly height: number; readonly timeMs: number };
  readonly isOpen: () => boolean;
  /** Nothing happened since the last block: its state can be kept. */
  readonly isAtHead: () => boolean;
  readonly begin: (timeMs: number, prints: readonly Print[]) => void;
  readonly control: (act: ControlAct) => Receipt;
  readonly crowd: (account: AccountRow, transaction: Transaction) => Receipt;
  /**
   * An admitted transaction: `signer` and `account` as admission found them, `hash` of the body as received. `emittedMs`: when it
   * is carried out.
   */
  readonly transaction: (from: {
    readonly envelope: OpenedEnvelope;
    readonly signer: string;
    readonly account: AccountRow | null;
    readonly hash: string;
    readonly emittedMs: number;
  }) => Receipt;
  readonly finish: () => Block;
};

export type BlockMakerOptions = {
  readonly head: Block;
  readonly chainId: string;
  /** Whether an executed but refused transaction uses up its nonce (x6). */
  readonly refusedNonce: DevnetConfig["refusedNonce"];
};

export function createBlockMaker(
  options: BlockMakerOptions,
  modules: { readonly state: ChainState; readonly publish: (batch: EventBatch) => void },
): BlockMaker {
  const { state, publish } = modules;
  let head = options.head;
  let open = emptyBlock(head);

  function executed(receipt: Receipt, txHash: string | null): Receipt {
    if (receipt.status === "success") emit(receipt.events, txHash);
    return receipt;
  }

  function emit(events: readonly ChainEvent[], txHash: string | null): void {
    if (events.length === 0) return;
    const { height, timeMs, eventCount: eventIndex } = open;
    open.eventCount += events.length;
    publish({ height, timeMs, txHash: txHash ?? ownHash(), isOwn: txHash === null, eventIndex, events });
  }

  /** Of what the exchange does without being asked by a transaction. */
  const ownHash = (): string => ownHashOf(options.chainId, open.height);

  function context(txHash: string, emittedMs?: number): Context {
    const { height, timeMs } = open;
    return { height, timeMs, emittedMs: emittedMs ?? timeMs, txHash };
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
      for (const print of prints) {
        const receipt = state.engine.publishPrint(print.marketId, print.price, print.validUntilMs, context(ownHash()));
        if (executed(receipt, null).status === "success") open.prints.push(print);
      }
      emit(state.engine.beginBlock({ height: open.height, timeMs, txHash: ownHash() }), null);
      emit(state.staking.release(timeMs), null);
    },
    control(act) {
      const receipt = executed(applyControl(act, context(ownHash()), state), null);
      if (receipt.status === "failed") return receipt;
      if (open.isBegun) open.entries.push({ kind: "control", act });
      else open.before.push(act);
      return receipt;
    },
    crowd(account, transaction) {
      const text = encodeTransaction(transaction);
      const hash = sha256Hex(`crowd ${open.height} ${open.entries.length} ${account.accountId} ${text}`);
      const receipt = executed(dispatch(transaction, account, account.owner, context(hash), state), hash);
      if (receipt.status === "success") open.entries.push({ kind: "crowd", accountId: account.accountId, text });
      return receipt;
    },
    transaction({ envelope, signer, account, hash, emittedMs }) {
      const { transaction, nonce } = envelope;
      const receipt = dispatch(transaction, account, signer, context(hash, emittedMs), state);
      const { status } = receipt;
      const commits = status === "success" || options.refusedNonce === "commits";
      if (takesNonce(envelope) && commits) state.nonces.commit(signer, nonce, open.timeMs);
      if (account !== null) state.budget.count(account.accountId);
      open.entries.push({ kind: "transaction", hash, status });
      open.transactions.push({ hash, type: transaction.type, signer, status });
      return executed(receipt, hash);
    },
    finish() {
      assert(open.isBegun, "a block is begun before it is finished");
      const { height, timeMs, before, prints, entries, transactions } = open;
      const transactionsHash = transactionsHashOf({ before, prints, entries });
      const stateRoot = state.root.seal();
      const parentHash = head.hash;
      head = sealBlock({ height, timeMs, parentHash, transactionsHash, stateRoot, transactions });
      open = emptyBlock(head);
      return head;
    },
  };
}

/** The block that is being made, and the only thing here that changes. */
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
