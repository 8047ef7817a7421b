// Keeps the exchange's answers and frames as they came, since our readers may not understand them. The probe itself reads only which order
// each one is about.

import type { HttpEnd } from "../../bot/venue/remote/http.ts";
import type { Transport } from "../../bot/venue/remote/remote.ts";
import { type OrderId, orderId } from "../../domain/units.ts";
import { parseJson } from "../../kernel/json.ts";
import { printable } from "../../kernel/printable.ts";
import { readLimits } from "../../wire/read-answer.ts";

/** One event or frame. */
export type Item = Readonly<Record<string, unknown>>;

export type Answer = { readonly httpStatus: number; readonly json: unknown };

/** Number of newest frames that are kept. */
const FRAMES_MAX = 1000;

export class Heard {
  /** The newest answer of each path. */
  readonly #answers = new Map<string, Answer>();
  /** Paths that have answered with a list. */
  readonly #lists = new Set<string>();
  #events: readonly Item[] = [];
  #frames: Item[] = [];

  /** Wraps `transport` so that each answer and frame is kept. */
  on(transport: Transport): Transport {
    return {
      lane: (options) => {
        const lane = transport.lane(options);
        return {
          send: async (request) => {
            const end = await lane.send(request);
            this.#note(request.path, end);
            return end;
          },
          close: () => lane.close(),
        };
      },
      connect: (options, events) =>
        transport.connect(options, {
          ...events,
          onText: (text) => {
            this.#frames.push(...itemsIn(jsonOf(text)));
            this.#frames.splice(0, this.#frames.length - FRAMES_MAX);
            events.onText(text);
          },
        }),
    };
  }

  /** Empties `events` and `frames`. */
  mark(): void {
    this.#events = [];
    this.#frames = [];
  }

  /** Events of the newest answer to a transaction. */
  get events(): readonly Item[] {
    return this.#events;
  }

  get frames(): readonly Item[] {
    return this.#frames;
  }

  /** The newest answer to a read whose path ends with `path`. */
  answer(path: string): Answer | undefined {
    return [...this.#answers].find(([of]) => of.endsWith(path))?.[1];
  }

  hasListed(path: string): boolean {
    return [...this.#lists].some((of) => of.endsWith(path));
  }

  #note(path: string, end: HttpEnd): void {
    if (end.kind !== "answered") return;
    const json = jsonOf(end.body);
    this.#answers.set(path, { httpStatus: end.httpStatus, json });
    if (end.httpStatus === 200 && listIn(json) !== undefined) this.#lists.add(path);
    if (path.endsWith("/tx")) this.#events = itemsIn(fieldsIn(json)?.events);
  }
}

/** The value itself if it is an array, or the only array in an object. */
export function listIn(json: unknown): readonly unknown[] | undefined {
  if (Array.isArray(json)) return json;
  const lists = Object.values(fieldsIn(json) ?? {}).filter(Array.isArray);
  return lists.length === 1 ? lists[0] : undefined;
}

/** The exchange's name of an event. */
export const nameOf = ({ type }: Item): string =>
  typeof type === "string" ? printable(type, NAME_LENGTH_MAX) : "untyped";
const NAME_LENGTH_MAX = 40;

/** Id of the order that the event is about, in any field. Undefined: none. */
export function orderIn(item: Item): OrderId | undefined {
  const named = item.order_id ?? item.orderId ?? (isOfOrder(item) ? item.id : undefined);
  if (named !== undefined) return ID.test(`${named}`) ? orderId(BigInt(`${named}`)) : undefined;
  return Object.values(item).flatMap((inner) => orderIn(fieldsIn(inner) ?? {}) ?? [])[0];
}

const ID = /^\d{1,20}$/;
/** Whether `id` is the id of an order rather than of something else. */
const isOfOrder = (item: Item): boolean => "price" in item || "side" in item || /order/i.test(nameOf(item));

/** Whether a field with one of these names, at any depth, holds `value`. */
export function says(item: Item, names: readonly string[], value: bigint): boolean {
  return Object.entries(item).some(([name, of]) => {
    const inner = fieldsIn(of);
    return inner === undefined ? names.includes(name) && `${of}` === `${value}` : says(inner, names, value);
  });
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text, readLimits);
  } catch {
    return undefined; // Not JSON.
  }
}

const fieldsIn = (json: unknown): Item | undefined =>
  typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Item) : undefined;

/** One message, or several in an array. */
function itemsIn(json: unknown): readonly Item[] {
  const all: readonly unknown[] = Array.isArray(json) ? json : [json];
  return all.map(fieldsIn).filter((item) => item !== undefined);
}
