// A critical event, or the summary of a day, as the body that each target takes. Our own shape is
// {"event","account","market","reason","atMs"}; a day's has its numbers as `summary`.

import { printable } from "../../kernel/printable.ts";

export type CriticalEvent = {
  /** The event's word in the log. */
  readonly event: string;
  readonly account: string | null;
  readonly market: number | null;
  /** What happened and what to do, as a sentence. */
  readonly reason: string;
  /** Wall clock. */
  readonly atMs: number;
  /** The numbers of a day that ended; undefined for a critical event. */
  readonly summary?: unknown;
};

export const webhookFormats = ["json", "slack", "discord", "telegram", "pagerduty"] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** `haltUrl`: the page with its question whether to halt, which asks for a token; it holds none. Null: no such link. */
type Shape = (event: CriticalEvent, secret: string, haltUrl: string | null) => object;

/** Discord accepts 2000 characters, Telegram 4096, PagerDuty's summary 1024. */
const TEXT_LENGTH_MAX = 1000;

const sentenceOf = ({ event, reason }: CriticalEvent): string =>
  printable(`Quoin: ${reason} (${event})`, TEXT_LENGTH_MAX);
const textOf = (event: CriticalEvent, haltUrl: string | null): string =>
  `${sentenceOf(event)}${haltUrl === null ? "" : ` Halt: ${haltUrl}`}`;

/** By format. Telegram's chat is a parameter of the URL, `?chat_id=…`; PagerDuty's routing key is the secret. */
export const shapes: Readonly<Record<WebhookFormat, Shape>> = {
  json: ({ event, account, market, reason, atMs, summary }, _, haltUrl) => ({
    event,
    account,
    market,
    reason,
    atMs,
    ...(summary !== undefined && { summary }),
    ...(haltUrl !== null && { haltUrl }),
  }),
  slack: (event, _, haltUrl) => ({ text: textOf(event, haltUrl) }),
  // A reason with @everyone must not notify everyone.
  discord: (event, _, haltUrl) => ({ content: textOf(event, haltUrl), allowed_mentions: { parse: [] } }),
  telegram: (event, _, haltUrl) => ({ text: textOf(event, haltUrl) }),
  pagerduty: (event, secret, haltUrl) => ({
    routing_key: secret,
    event_action: "trigger",
    dedup_key: [event.event, event.account, event.market].filter((part) => part !== null).join(" "),
    payload: {
      summary: sentenceOf(event),
      source: "quoin",
      severity: "critical",
      timestamp: new Date(event.atMs).toISOString(),
      custom_details: event,
    },
    ...(haltUrl !== null && { links: [{ href: haltUrl, text: "Halt" }] }),
  }),
};

/** A log line of level error as an event; undefined for other lines. */
export function criticalEvent(line: string): CriticalEvent | undefined {
  if (!line.startsWith('{"level":"error"')) return undefined;
  const { event, account, market, msg, time } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  return {
    event: typeof event === "string" ? event : "error",
    account: typeof account === "string" ? account : null,
    market: typeof market === "number" ? market : null,
    reason: typeof msg === "string" ? msg : "",
    atMs: typeof time === "number" ? time : 0,
  };
}
