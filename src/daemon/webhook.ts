// Sends every log line of level error, and each day's summary, to the webhook of the configuration.

import type { BotConfig, WebhookConfig } from "../bot/config/config.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import { createLog, type Log } from "../bot/telemetry/log.ts";
import type { Metrics } from "../bot/telemetry/metrics.ts";
import { Webhook, webhookResults } from "../bot/telemetry/webhook.ts";
import { type CriticalEvent, criticalEvent } from "../bot/telemetry/webhook-shapes.ts";
import type { Host } from "../host/host.ts";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { readSecretFile } from "../kernel/private-file.ts";
import { urlOf } from "./running/running-daemon.ts";

/** With it the page opens its question whether to halt. No server and no log sees a fragment. */
const HALT_FRAGMENT = "#ask=halt";
/** A later answer counts as none. Two tries fit into five seconds. */
const ANSWER_MS_MAX = 2000;
/** How long an ending process waits for its last events to be delivered. */
const LAST_MS = 3000;

export type WebhookLog = {
  readonly log: Log;
  /** For an event that is no alert: the summary of a day. */
  readonly tell: (event: CriticalEvent) => void;
  readonly close: () => Promise<void>;
};

/** A log whose errors also go to the webhook, if there is one. `metrics`: null for a process without metrics. Throws StartError. */
export function createWebhookLog(
  config: Pick<BotConfig, "log" | "webhook" | "server">,
  host: Host,
  metrics: Pick<Metrics, "webhookEvents"> | null,
): WebhookLog {
  const { clock, stdout } = host;
  const { webhook } = config;
  const { level } = config.log;
  const to = { terminal: host.terminal.stdout, wallMs: clock.wallMs };
  if (webhook === null)
    return { log: createLog(level, { ...to, write: stdout }), tell: () => {}, close: async () => {} };
  for (const result of webhookResults) metrics?.webhookEvents.labels({ result });
  const secret = secretIn(webhook.secretFile);
  const target = new Webhook(
    { ...webhook, secret, haltUrl: haltUrlOf(webhook, config.server) },
    {
      clock,
      post: (url, body, headers) => post(url, { body, headers, method: "POST" }, clock),
      count: (result) => metrics?.webhookEvents.labels({ result }).inc(),
      onDropped: (why) => log.warn({ event: "webhook.dropped" }, `the webhook lost an event: ${why}`),
    },
  );
  const log = createLog(level, {
    ...to,
    write: stdout,
    tap(line) {
      const event = criticalEvent(line);
      if (event !== undefined) target.tell(event);
    },
  });
  return {
    log,
    tell(event) {
      // PagerDuty wakes a person, which only an alert may do.
      if (webhook.format !== "pagerduty") target.tell(event);
    },
    close: () => target.close(LAST_MS),
  };
}

/** Null: the daemon takes any free port, and no page is named. */
function haltUrlOf({ pageUrl }: WebhookConfig, server: BotConfig["server"]): string | null {
  const page = pageUrl ?? (server.port === 0 ? null : urlOf(server));
  return page === null ? null : `${page.replace(/\/$/, "")}/${HALT_FRAGMENT}`;
}

function secretIn(file: string): string {
  try {
    return readSecretFile(file);
  } catch (cause) {
    throw new StartError("configuration", `webhook.secretFile: ${messageOf(cause)}`, { cause });
  }
}

async function post(url: string, init: RequestInit, clock: Clock): Promise<number> {
  const timeout = new AbortController();
  const timer = clock.after(ANSWER_MS_MAX, () => timeout.abort());
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: timeout.signal });
    await response.body?.cancel();
    return response.status;
  } finally {
    timer.cancel();
  }
}
