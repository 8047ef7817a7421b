// The daemon's live stream: a snapshot, then an update every second. The page keeps a bounded amount of it.

/**
 * @import { Detail } from "../detail.ts"
 * @import { HistoryEntry } from "../history.ts"
 * @import { Status } from "../status.ts"
 * @typedef {Extract<HistoryEntry, { kind: "sample" }>} Sampled
 * @typedef {Extract<HistoryEntry, { kind: "note" }>} Note
 * @typedef {Extract<HistoryEntry, { kind: "fill" }>} Filled
 * What the page knows; `snapshots` counts the beginnings.
 *
 * @typedef {{ readonly status: Status; readonly detail: Detail; readonly since: Readonly<Record<string, number>>; readonly samples: readonly Sampled[]; readonly notes: readonly Note[]; readonly fills: readonly Filled[]; readonly snapshots: number }} State
 * @typedef {{ readonly status: Status; readonly detail: Detail; readonly since: Readonly<Record<string, number>>; readonly history: readonly HistoryEntry[] }} Message
 */

/** The daemon's own limits. */
const SAMPLES_MAX = 3888;
const NOTES_MAX = 300;
export const FILLS_MAX = 500;
/** A real message is much shorter; more data without an end is not our stream. */
const MESSAGE_MAX = 2 ** 25;

/**
 * The state after a message. A snapshot replaces everything.
 *
 * @type {(before: State | null, event: string, message: Message) => State}
 */
export function fold(before, event, { status, detail, since, history }) {
  const kept = event === "snapshot" ? null : before;
  /** @type {Sampled[]} */ const samples = [];
  /** @type {Note[]} */ const notes = [];
  /** @type {Filled[]} */ const fills = [];
  for (const entry of history) {
    if (entry.kind === "sample") samples.push(entry);
    else if (entry.kind === "note") notes.push(entry);
    else fills.push(entry);
  }
  return {
    status,
    detail,
    since,
    snapshots: (before?.snapshots ?? 0) + (kept === null ? 1 : 0),
    samples: [...(kept?.samples ?? []), ...samples].slice(-SAMPLES_MAX),
    notes: [...(kept?.notes ?? []), ...notes].slice(-NOTES_MAX),
    fills: merged(kept?.fills ?? [], fills),
  };
}

/**
 * A later copy of a fill adds its fee, in the place of the first copy.
 *
 * @type {(known: readonly Filled[], news: readonly Filled[]) => readonly Filled[]}
 */
function merged(known, news) {
  const byKey = new Map(known.map((filled) => [filled.fill.key, filled]));
  for (const filled of news) byKey.set(filled.fill.key, filled);
  return [...byKey.values()].slice(-FILLS_MAX);
}

/**
 * Reads until the stream ends. Resolves with the HTTP status; rejects if the connection fails.
 *
 * @template M
 * @param {string | null} token
 * @param {(event: string, message: M) => void} onMessage
 * @returns {Promise<number>}
 */
export async function follow(token, onMessage) {
  const headers = /** @type {Record<string, string>} */ (token === null ? {} : { authorization: `Bearer ${token}` });
  const answer = await fetch(`events${location.search}`, { cache: "no-store", headers });
  if (!answer.ok || answer.body === null) return answer.status;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return answer.status;
    text += value;
    if (text.length > MESSAGE_MAX) throw new RangeError("a message without an end");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [event = "", data = ""] = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      if (event.startsWith("event: ")) onMessage(event.slice(7), JSON.parse(data.slice(6)));
    }
  }
}
