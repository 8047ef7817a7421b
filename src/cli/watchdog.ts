// `quoin watchdog`: a process of its own, best on another machine. Polls the daemon's heartbeat; when it falls silent, it
// cancels everything with its own agent key. Runs until a signal stops it. Systemd and GET /livez learn whether it still looks.

import { type WatchdogConfig, withoutPaper } from "../bot/config/config.ts";
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
import { superviseBy } from "../daemon/process/supervisor.ts";
import { reachVenue } from "../daemon/reach-venue.ts";
import { askHeartbeat, type Refused } from "../daemon/running/ask-daemon.ts";
import { urlOf } from "../daemon/running/running-daemon.ts";
import { createWebhookLog } from "../daemon/webhook.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host, untilStopped } from "../host/host.ts";
import { PrivateFileError } from "../kernel/private-file.ts";
import { checkSigning } from "../wire/signing.ts";
import { readWithoutStrategies } from "./read-config.ts";

/** Exit 1 when the exchange or the account does not have the watchdog, 2 when the configuration is wrong. */
export async function watchdog(options: { readonly config: string }, host: Host): Promise<ExitCode> {
  const read = readWithoutStrategies(options.config, host);
  if (read === undefined) return EXIT_USAGE;
  const config = withoutPaper(read);
  const venue = reachVenue(config, host);
  try {
    const fault = faultIn(config, venue);
    if (fault !== undefined) throw new StartError("configuration", fault);
    const refused = await askHeartbeat(daemonUrlOf(config), ANSWER_MS_MAX, host.clock);
    if (isRefused(refused)) throw new StartError("configuration", wrongPlace(daemonUrlOf(config), refused));
    if (venue !== null) await watch(config, venue, host);
    return EXIT_DONE;
  } catch (error) {
    if (!(error instanceof StartError || error instanceof PrivateFileError)) throw error;
    host.stderr(`quoin: ${error.message}\n`);
    return error instanceof StartError && error.code === "failed" ? EXIT_FAILED : EXIT_USAGE;
  } finally {
    await venue?.close();
  }
}

const ANSWER_MS_MAX = 2000;
const TOKEN_BYTES = 32;

const daemonUrlOf = ({ server, watchdog: { daemonUrl } }: WithoutMarkets): string => daemonUrl ?? urlOf(server);

const isRefused = (answer: Heartbeat | Refused | undefined): answer is Refused =>
  answer !== undefined && "kind" in answer;

const wrongPlace = (url: string, { httpStatus, why }: Refused): string =>
  `${url}/heartbeat is answered with ${httpStatus}: ${why}; correct watchdog.daemonUrl, or the daemon's server.hosts`;

function faultIn(
  { accounts, server, watchdog: { daemonUrl } }: WithoutMarkets,
  venue: Venue | null,
): string | undefined {
  if (venue === null) return "the exchange lives inside the daemon and dies with it: there is nothing to watch";
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
  // Whoever refuses says nothing of the daemon: it is as silent as a dead one, and a person has to know why.
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

/** Undefined where the configuration names no port. Throws StartError when the address cannot be listened on. */
async function serveLivez(
  { host: address, port }: WatchdogConfig,
  overdueMs: () => number,
  { clock, entropy }: Host,
): Promise<HttpServer | undefined> {
  if (port === null) return undefined;
  const livez = (): HttpAnswer =>
    overdueMs() < watchdogTiming.stuckMs ? plain(200, "watching") : plain(503, `no look for ${overdueMs()} ms`);
  // Nobody has the token: nothing but /livez is answered.
  const token = Buffer.from(entropy.bytes(TOKEN_BYTES)).toString("base64url");
  const access = new Access({ host: address, token, hosts: [] }, clock);
  try {
    const routes = new Map([["GET /livez", livez]]);
    return await serveHttp({ host: address, port }, { routes, page: new Map(), access, onPost: () => {} });
  } catch (cause) {
    throw new StartError("failed", `watchdog: ${address}:${port} ${listenFault(cause, "watchdog")}`, { cause });
  }
}
