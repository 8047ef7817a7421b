// What the exchange says of its height and time, where a fault has it say something else: in pongs, and of the height in node info too.

import type { Reply } from "../devnet/api/http/reply.ts";

/** What a pong says. */
export type ChainWord = { readonly height: number; readonly timeMs: number };
export type ChangeWord = (word: ChainWord) => ChainWord;

const PONG = /^\{"type":"pong","blockHeight":(\d+),"blockTimeMs":(\d+)\}$/;
const NODE_HEIGHT = /"block_height":(\d+)/;

export class ChainWords {
  /** By the fault's id. */
  readonly #changes = new Map<number, ChangeWord>();
  #loweredBy = 0;

  begin(fault: number, change: ChangeWord): void {
    this.#changes.set(fault, change);
  }

  end(fault: number): void {
    this.#changes.delete(fault);
  }

  /** The chain, at `height` in truth, goes on lower by this share of what it says now, for good. */
  lower(share: number, height: number): void {
    this.#loweredBy += Math.floor((height - this.#loweredBy) * share);
  }

  frame(frame: Uint8Array): Uint8Array {
    if (this.#changes.size === 0 && this.#loweredBy === 0) return frame;
    const [, height, timeMs] = PONG.exec(Buffer.from(frame).toString()) ?? [];
    if (height === undefined) return frame;
    let word: ChainWord = { height: Number(height) - this.#loweredBy, timeMs: Number(timeMs) };
    for (const change of this.#changes.values()) word = change(word);
    return Buffer.from(`{"type":"pong","blockHeight":${word.height},"blockTimeMs":${word.timeMs}}`);
  }

  reply(path: string, reply: Reply): Reply {
    if (this.#loweredBy === 0 || path !== "/v1/node/info") return reply;
    const lowered = (_: string, height: string): string => `"block_height":${Number(height) - this.#loweredBy}`;
    return { ...reply, text: reply.text.replace(NODE_HEIGHT, lowered) };
  }
}
