// The watchdog, a process of its own and best on another machine: polls the daemon's heartbeat and, when the daemon falls silent, cancels
// everything with its own agent key. It reports to systemd and on GET /livez that it still polls.

import type { WatchdogConfig } from "../bot/config/config.ts";
import type { WithoutMarkets } from "../bot/config/load.ts";
import { loadAgentKey } from "../bot/execution/agent-key.ts";
import { listenFault } from "../bot/service/lifecycle/listen.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import type { Heartbeat } from "../bot/service/watchdog/heartbeat.ts";
import { startWatch, type Watch } from "../bot/service/watchdog/watchdog.ts";
import { Access } from "../bot/telemetry/access.ts";
import { type HttpAnswer, type HttpServer, plain, serveHttp } from "../bot/telemetry/http.ts";
import { watchdogTiming } from "../bot/timing.ts";
import type { Venue } from "../bot/venue/port.ts";
import { type Host, untilStopped } from "../host/host.ts";
import { checkSigning } from "../wire/signing.ts";
import { superviseBy } from "./process/supervisor.ts";
import { reachVenue } from "./reach-venue.ts";
import { askHeartbeat, type Refused } from "./running/ask-daemon.ts";
import { urlOf } from "./running/running-daemon.ts";
import { createWebhookLog } from "./webhook.ts";

const ANSWER_MS_MAX = 2000;
const TOKEN_BYTES = 32;

/** Watches the daemon of this configuration until a signal. `config` has no paper accounts. Throws StartError and PrivateFileError. */
export async function runWatchdog(config: WithoutMarkets, host: Host): Promise<void> {
  const venue = reachVenue(config, host);
  try {
    if (venue === null)
      throw new StartError(
        "configuration",
        "the exchange lives inside the daemon and dies with it: there is nothing to watch",
      );
    const fault = faultIn(config);
    if (fault !== undefined) throw new StartError("configuration", fault);
    const refused = await askHeartbeat(daemonUrlOf(config), ANSWER_MS_MAX, host.clock);
    if (isRefused(refused)) throw new StartError("configuration", wrongPlace(daemonUrlOf(config), refused));
    await watch(config, venue, host);
  } finally {
    await venue?.close();
  }
}

const daemonUrlOf = ({ server, watchdog: { daemonUrl } }: WithoutMarkets): string => daemonUrl ?? urlOf(server);

const isRefused = (answer: Heartbeat | Refused | undefined): answer is Refused =>
  answer !== undefined && "kind" in answer;

const wrongPlace = (url: string, { httpStatus, why }: Refused): string =>
  `${url}/heartbeat is answered with ${httpStatus}: ${why}; correct watchdog.daemonUrl, or the daemon's server.hosts`;

function faultIn({ accounts, server, watchdog: { daemonUrl } }: WithoutMarkets): string | undefined {
  if (accounts.length === 0) return "every account is on paper: there is nothing to watch";
  const without = accounts.find(({ watchdogKeyFile }) => watchdogKeyFile === null);
  if (without !== undefined)
    return `account ${without.accountId} names no watchdogKeyFile: the watchdog has a key of its own`;
  return daemonUrl === null && server.port === 0 ? "server.port 0 is any port: say watchdog.daemonUrl" : undefined;
}

async function watch(config: WithoutMarkets, venue: Venue, host: Host): Promise<void> {
  const { clock } = host;
  const { chainId, readLagMaxMs } = config.venue;
  const { silenceMs, pollMs } = config.watchdog;
  checkSigning();
  const keys = new Map(
    config.accounts.map(({ accountId, watchdogKeyFile }) => [accountId, loadAgentKey(watchdogKeyFile ?? "")]),
  );
  const { log, close } = createWebhookLog(config, host, null);
  const url = daemonUrlOf(config);
  let isRight = true;
  // A refusal counts as silence, since it says nothing about the daemon. An operator has to correct the address.
  const heartbeat = async (timeoutMs: number): Promise<Heartbeat | undefined> => {
    const answer = await askHeartbeat(url, timeoutMs, clock);
    const refused = isRefused(answer);
    if (refused && isRight) log.error({ event: "watchdog.misconfigured", url }, wrongPlace(url, answer));
    isRight = !refused;
    return refused ? undefined : answer;
  };
  const supervised = superviseBy(host.supervisor, clock);
  let running: Watch | undefined;
  const http = await serveLivez(config.watchdog, () => running?.overdueMs() ?? 0, host);
  try {
    running = await startWatch({ chainId, readLagMaxMs, silenceMs, pollMs, keys }, { clock, log, venue, heartbeat });
    supervised.trades({ sinceTurnMs: running.overdueMs });
    log.info(
      { event: "watchdog.started", url, silenceMs, livezUrl: http?.url },
      `watching ${url}; silence of ${silenceMs} ms cancels everything`,
    );
    void untilStopped(host).then(running.stop);
    await running.ended;
    log.info({ event: "watchdog.ended" }, "no longer watching");
  } finally {
    supervised.stops();
    await http?.close();
    await close();
  }
}

/** Undefined when the configuration names no port. Throws StartError when the address cannot be listened on. */
async function serveLivez(
  { host: address, port }: WatchdogConfig,
  overdueMs: () => number,
  { clock, entropy }: Host,
): Promise<HttpServer | undefined> {
  if (port === null) return undefined;
  const livez = (): HttpAnswer =>
    overdueMs() < watchdogTiming.stuckMs ? plain(200, "watching") : plain(503, `no look for ${overdueMs()} ms`);
  // Nobody has the token, so only /livez is answered.
  const token = Buffer.from(entropy.bytes(TOKEN_BYTES)).toString("base64url");
  const access = new Access({ host: address, token, scoped: () => [], requireTokenForReads: false, hosts: [] }, clock);
  try {
    const routes = new Map([["GET /livez", livez]]);
    return await serveHttp({ host: address, port }, { routes, page: new Map(), access, onPost: () => {} });
  } catch (cause) {
    throw new StartError("failed", `watchdog: ${address}:${port} ${listenFault(cause, "watchdog")}`, { cause });
  }
}
