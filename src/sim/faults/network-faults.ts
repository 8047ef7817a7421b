// The network under the active faults: each fault draws its own random numbers, so that leaving one out changes the others as little as
// possible.

import { type Reply, refusal } from "../../devnet/api/http/reply.ts";
import { Sent } from "../../devnet/api/stream/frames.ts";
import type { Prng } from "../../kernel/prng.ts";
import type { HttpCall } from "../exchange.ts";
import {
  type FrameFate,
  latencyOnly,
  type NetworkConditions,
  type RequestFate,
  sameLatency,
} from "../network/network-conditions.ts";
import type { Fault } from "./fault.ts";
import { implausible, isJudged } from "./implausible.ts";
import { drawLiar, lie } from "./lies.ts";
import { isOrder, orderAnswer } from "./order-answers.ts";

/** A lasting fault with its random generator. */
type ActiveFault = { readonly fault: Fault; readonly prng: Prng };

type Travels = Extract<RequestFate, { readonly kind: "travels" }>;

export class NetworkFaults {
  readonly #prng: Prng;
  readonly #latencyOnly: NetworkConditions;
  readonly #active: ActiveFault[] = [];
  readonly #liar: RegExp;
  readonly conditions: NetworkConditions;

  /** `baseMs`: smallest one-way latency. */
  constructor(options: { readonly baseMs: number; readonly jitterMs: number }, modules: { readonly prng: Prng }) {
    const latency = modules.prng.fork("latency");
    this.#prng = modules.prng;
    this.#liar = drawLiar(modules.prng.fork("liar"));
    this.#latencyOnly = latencyOnly(sameLatency(() => options.baseMs + latency.float() * options.jitterMs));
    this.conditions = {
      latencyMs: this.#latencyOnly.latencyMs,
      forRequest: (call) => this.#forRequest(call),
      forFrame: (frame) => this.#forFrame(frame),
      forConnection: () => this.#forConnection(),
    };
  }

  begin(fault: Fault): void {
    this.#active.push({ fault, prng: this.#prng.fork(`fault ${fault.id}`) });
  }

  end(fault: Fault): void {
    const at = this.#active.findIndex((each) => each.fault.id === fault.id);
    if (at !== -1) this.#active.splice(at, 1);
  }

  /** Whether requests may fail now. */
  get strikesRequests(): boolean {
    return this.#active.some(({ fault }) => requestKinds.has(fault.kind));
  }

  /** Whether nothing gets through. */
  get isCut(): boolean {
    return this.#active.some(({ fault }) => fault.kind === "node");
  }

  #forRequest(call: HttpCall): RequestFate {
    const fate = this.#latencyOnly.forRequest(call) as Travels;
    for (const { fault, prng } of this.#active) {
      if (fault.kind === "lies" && this.#liar.test(call.path) && prng.chance(fault.amount))
        return { ...fate, rewrite: (text) => lie(fault.how, text, call.path, prng) };
      const isStruck = requestKinds.has(fault.kind) && fault.kind !== "lies";
      const struck = isStruck ? strikeRequest(fault, prng, fate, call) : undefined;
      if (struck !== undefined) return struck;
    }
    return fate;
  }

  #forFrame(frame: Sent): FrameFate {
    for (const { fault, prng } of this.#active) {
      if (fault.kind === "frames" && prng.chance(fault.amount)) {
        if (fault.how === "dropped") return { copies: 0, delayMs: 0 };
        if (fault.how === "doubled") return { copies: 2, delayMs: 0 };
        return { copies: 1, delayMs: 5 + 1500 * prng.float() };
      }
      if (fault.kind === "hostile" && prng.chance(fault.amount))
        return { copies: 1, delayMs: 0, before: hostileFrame(prng) };
      if (fault.kind === "reconnects" && fault.how === "channelLost" && isOf(frame, channelOf(fault))) {
        return { copies: 0, delayMs: 0 };
      }
    }
    return this.#latencyOnly.forFrame(frame);
  }

  #forConnection(): ReturnType<NetworkConditions["forConnection"]> {
    for (const { fault } of this.#active) {
      if (fault.kind === "node") return fault.how === "down" ? "refused" : "hangs";
      if (fault.kind === "reconnects" && (fault.how === "refused" || fault.how === "hangs")) return fault.how;
    }
    return "opens";
  }
}

const requestKinds: ReadonlySet<Fault["kind"]> = new Set(["lostAnswers", "lateLanding", "badAnswers", "node", "lies"]);

/** Undefined: the fault does not strike. */
function strikeRequest(fault: Fault, prng: Prng, fate: Travels, call: HttpCall): RequestFate | undefined {
  if (fault.kind === "node") return fault.how === "down" ? { kind: "refused" } : { ...fate, request: "swallowed" };
  if (!prng.chance(fault.amount)) return undefined;
  switch (fault.kind) {
    case "lostAnswers":
      if (fault.how === "swallowed") return { ...fate, request: "swallowed" };
      return { ...fate, answer: fault.how === "reset" ? "reset" : "lost" };
    case "lateLanding":
      // Late reads bring nothing new; a transaction that executes after we gave it up does.
      return call.method === "POST" ? { ...fate, upMs: 1000 + 40_000 * prng.float(), answer: "lost" } : undefined;
    case "badAnswers":
      // The frames usually arrive before such an answer.
      if (fault.how === "unnamed")
        return call.body?.includes('"PlaceOrder"')
          ? { ...fate, downMs: fate.downMs + UNNAMED_MS * prng.float(), rewrite: unnamed }
          : undefined;
      if (fault.how === "noEvents") return call.method === "POST" ? { ...fate, rewrite: unnamed } : undefined;
      if (fault.how !== "implausible") return badAnswer(fault, prng, fate, call);
      return isJudged(call.path) ? { ...fate, rewrite: (text) => implausible(call.path, text, prng) } : undefined;
    default:
      return undefined;
  }
}

/** An answer that comes late and says only that the transaction executed. */
const UNNAMED_MS = 1000;
const unnamed = (text: string): string => text.replace(/"events":\[.*\]/s, '"events":[]');

function badAnswer({ how }: Fault, prng: Prng, fate: Travels, call: HttpCall): RequestFate | undefined {
  const toOrders = orderAnswer(how);
  if (toOrders !== undefined) return isOrder(call) ? { ...fate, executes: false, answer: toOrders } : undefined;
  const text = (body: string, contentType: string, status = 200): Reply => ({ status, contentType, text: body });
  const executes = prng.chance(0.5);
  switch (how) {
    case "tooMany":
      return { ...fate, executes: false, answer: refusal(429, "THROTTLED", "too many requests") };
    case "tooManyRetryAfter": {
      const headers = { "retry-after": String(1 + prng.below(5)) };
      return { ...fate, executes: false, answer: refusal(429, "THROTTLED", "too many requests", headers) };
    }
    case "unavailable":
      return { ...fate, executes, answer: refusal(prng.pick([500, 502, 503, 504]), "UNAVAILABLE", "try again later") };
    case "html":
      return { ...fate, executes, answer: text("<html><body>welcome</body></html>", "text/html") };
    case "truncated":
      return { ...fate, executes, answer: text('{"status":"success","hash":"ab', "application/json") };
    default:
      return { ...fate, executes, answer: text("{}", "application/json") };
  }
}

/** Frames that no exchange should send, and frames that a newer one might send. */
const hostileFrames = [
  "",
  "null",
  "[]",
  "{",
  '{"type":1}',
  '{"type":"ping"}',
  '{"type":"novelty","market_id":1}',
  '{"type":"error","message":"go away"}',
  '{"type":"orderPlaced","order_id":-1,"account_id":12,"market_id":1,"side":"Long","price":0,"size":-5}',
  '{"type":"orderCanceled","order_id":18446744073709551616,"account_id":12,"market_id":1,"reason":"UserCanceled"}',
  '{"type":"orderbookSnapshot","market_id":1,"bids":[{"price":"NaN","size":1}],"asks":[]}',
  '{"type":"oraclePriceUpdate","market_id":1,"price":"-1","previous_price":"1e9","valid_until":"soon"}',
  '{"type":"fill","market_id":1,"tx_hash":"\\u0000","price":1,"size":9223372036854775808}',
  '{"type":"pong","blockHeight":-1,"blockTimeMs":1e400}',
  `{"type":"orderPlaced","deep":${"[".repeat(100)}${"]".repeat(100)}}`,
] as const;
const hostileFrame = (prng: Prng): Sent => new Sent(prng.pick(hostileFrames));

const channels = ["orderbookSnapshot", "fill", "orderPlaced", "orderCanceled", "oraclePriceUpdate"] as const;
const channelOf = ({ id }: Fault): string => channels[id % channels.length] ?? "fill";

/** Frames begin with their type. */
const isOf = ({ text }: Sent, type: string): boolean => text.slice(0, 40).includes(`"${type}"`);
