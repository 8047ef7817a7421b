// What a strategy must not use, since a recorded run would not replay: clocks, randomness, timers, the network, the process. In a thread
// that only tries strategies, each use throws and explains itself.

import { sourcePlace } from "../../kernel/errors.ts";

/** A class of its own, so that a strategy that catches it is detected all the same. */
export class AmbientFault extends Error {}

/** Returns the sentence of the first use since the last call, caught or not; null: none. */
export type TakeAmbientUse = () => string | null;

/** Globals that may not be read at all. */
const HIDDEN = [
  "performance",
  "process",
  "crypto",
  "fetch",
  "WebSocket",
  "EventSource",
  "XMLHttpRequest",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "clearTimeout",
  "clearInterval",
  "clearImmediate",
  "queueMicrotask",
  "localStorage",
  "sessionStorage",
] as const;

/** Applies to this thread for its lifetime. */
export function forbidAmbient(): TakeAmbientUse {
  let first: string | null = null;
  const refuse = (what: string): never => {
    const fault = new AmbientFault(
      `uses ${what}; a strategy reads only its view, parameters and memory (the time is view.nowMs and view.chain)`,
    );
    const at = sourcePlace(fault);
    first ??= at === null ? fault.message : `${fault.message} at ${at}`;
    throw fault;
  };
  for (const name of HIDDEN) {
    Reflect.deleteProperty(globalThis, name); // Redefining some of them would load them.
    Object.defineProperty(globalThis, name, { configurable: false, get: () => refuse(name), set: () => {} });
  }
  const now = "now";
  const random = "random";
  Object.defineProperty(Math, random, { configurable: false, value: () => refuse(`Math.${random}`) });
  const RealDate = Date;
  const GuardedDate = new Proxy(RealDate, {
    apply: () => refuse("Date()"),
    construct(target, args, newTarget) {
      return args.length === 0 ? refuse("new Date()") : Reflect.construct(target, args, newTarget);
    },
    get: (target, key) => (key === now ? () => refuse(`Date.${now}`) : Reflect.get(target, key)),
  });
  Object.defineProperty(RealDate.prototype, "constructor", { value: GuardedDate });
  Object.defineProperty(globalThis, "Date", { configurable: false, value: GuardedDate });
  return () => {
    const taken = first;
    first = null;
    return taken;
  };
}
