// Changes the height and time that the exchange reports, for faults: in pongs, the height in node info, and for times ahead in every
// message that has a time.

import type { Reply } from "../devnet/api/http/reply.ts";
import { Sent } from "../devnet/api/stream/frames.ts";

/** Content of a pong. */
export type ChainWord = { readonly height: number; readonly timeMs: number };
export type ChangeWord = (word: ChainWord) => ChainWord;

/** `isNow` decides at random for each frame or answer whether its times are shifted by `ms`. */
export type Ahead = { readonly ms: number; readonly isNow: () => boolean };

/** Names of heights and times, with their counts per second. */
const HEIGHTS_PER_SEC = 4;
const times: ReadonlyMap<string, number> = new Map([
  ["blockHeight", HEIGHTS_PER_SEC],
  ["block_height", HEIGHTS_PER_SEC],
  ["valid_until", 1],
  ["validUntil", 1],
  ["blockTimeMs", 1000],
  ["timestamp", 1000],
  ["lastUpdateTimestamp", 1000],
]);
const TIMES = new RegExp(`"(${[...times.keys()].join("|")})":(\\d+)`, "g");
const SPEAKS_OF_TIME = /"(pong|fill|oraclePriceUpdate)"/;
const TIMED_PATH = /\/(oracle\/\d+|trades|node\/info)$/;

const PONG = /^\{"type":"pong","blockHeight":(\d+),"blockTimeMs":(\d+)\}$/;
const NODE_HEIGHT = /"block_height":(\d+)/;

export class ChainWords {
  /** By fault id. */
  readonly #changes = new Map<number, ChangeWord>();
  readonly #ahead = new Map<number, Ahead>();
  #loweredBy = 0;

  beginAhead(fault: number, ahead: Ahead): void {
    this.#ahead.set(fault, ahead);
  }

  begin(fault: number, change: ChangeWord): void {
    this.#changes.set(fault, change);
  }

  end(fault: number): void {
    this.#changes.delete(fault);
    this.#ahead.delete(fault);
  }

  /** From now on the chain, whose true height is `height`, reports a height lower by this share of the current one. */
  lower(share: number, height: number): void {
    this.#loweredBy += Math.floor((height - this.#loweredBy) * share);
  }

  frame(frame: Sent): Sent {
    if (this.#changes.size === 0 && this.#loweredBy === 0 && this.#ahead.size === 0) return frame;
    const { text } = frame;
    const [, height, timeMs] = PONG.exec(text) ?? [];
    if (height === undefined) return SPEAKS_OF_TIME.test(text.slice(0, 40)) ? new Sent(this.#fromAhead(text)) : frame;
    let word: ChainWord = { height: Number(height) - this.#loweredBy, timeMs: Number(timeMs) };
    for (const change of this.#changes.values()) word = change(word);
    return new Sent(this.#fromAhead(`{"type":"pong","blockHeight":${word.height},"blockTimeMs":${word.timeMs}}`));
  }

  reply(path: string, reply: Reply): Reply {
    const lowered = (_: string, height: string): string => `"block_height":${Number(height) - this.#loweredBy}`;
    const text = path === "/v1/node/info" ? reply.text.replace(NODE_HEIGHT, lowered) : reply.text;
    return { ...reply, text: TIMED_PATH.test(path) ? this.#fromAhead(text) : text };
  }

  #fromAhead(text: string): string {
    const ms = [...this.#ahead.values()].reduce((sum, ahead) => sum + (ahead.isNow() ? ahead.ms : 0), 0);
    if (ms === 0) return text;
    return text.replace(TIMES, (_, name: string, at: string) => {
      return `"${name}":${Number(at) + (ms / 1000) * (times.get(name) ?? 0)}`;
    });
  }
}
