// The daemon's HTTP, from its routes to the address that it is reached at.

import { messageOf } from "../../../kernel/errors.ts";
import type { ServerConfig } from "../../config/config.ts";
import type { HttpServer } from "../../telemetry/http.ts";
import { refreshGauges } from "../desks/gauges.ts";
import { auditTo } from "../operator/audit.ts";
import { showDetail } from "../operator/detail.ts";
import { type RouteModules, routesOf } from "../operator/routes.ts";
import type { BotModules, BotParts } from "./build.ts";
import { StartError } from "./start-error.ts";

type Asked = Pick<RouteModules, "status" | "heartbeat" | "operate" | "flatten" | "change">;

/** Throws StartError when the address cannot be listened on. */
export async function listen(
  at: ServerConfig,
  parts: BotParts,
  { clock, log, serve }: BotModules,
  asked: Asked,
): Promise<HttpServer> {
  const { metrics, loop, ledger } = parts;
  const routes = routesOf({
    ...asked,
    metrics,
    refresh: () => refreshGauges(parts, clock),
    sinceTurnMs: () => clock.monotonicMs() - loop.lastTurnMs,
  });
  try {
    const server = await serve(at, {
      routes,
      onPost: auditTo({ ledger, clock }),
      status: asked.status,
      detail: () => showDetail(parts),
    });
    const { url, tokenFile } = server;
    log.info(
      { event: "ready", url, tokenFile },
      `status page at ${url}${tokenFile === undefined ? "" : `; its token in ${tokenFile}`}`,
    );
    return server;
  } catch (cause) {
    const isTaken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
    const why = isTaken ? "is in use: change server.port" : messageOf(cause);
    throw new StartError("failed", `server: ${at.host}:${at.port} ${why}; nothing was sent`, { cause });
  }
}
