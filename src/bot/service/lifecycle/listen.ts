// The daemon's HTTP, from its routes to its address.

import { messageOf } from "../../../kernel/errors.ts";
import type { ServerConfig } from "../../config/config.ts";
import { refreshGauges } from "../../live/gauges.ts";
import type { HttpServer } from "../../telemetry/http.ts";
import { auditTo } from "../operator/audit.ts";
import { showDetail, showMeanings } from "../operator/detail.ts";
import { showRisk } from "../operator/risk.ts";
import { type RouteModules, routesOf } from "../operator/routes.ts";
import type { BotModules, BotParts } from "./build.ts";
import { StartError } from "./start-error.ts";

type Asked = Pick<
  RouteModules,
  "status" | "heartbeat" | "operate" | "cancel" | "flatten" | "change" | "preview" | "promote" | "proposals" | "outside"
>;

/** Throws StartError when the address cannot be listened on. */
export async function listen(
  at: ServerConfig,
  parts: BotParts,
  { clock, log, serve }: BotModules,
  asked: Asked,
): Promise<HttpServer> {
  const { metrics, machine, ledger } = parts;
  const routes = routesOf({
    ...asked,
    metrics,
    atRisk: () => ({ atMs: clock.wallMs(), accounts: [...parts.desks.values()].map(showRisk) }),
    meanings: () => showMeanings(parts),
    refresh: () => refreshGauges(parts, clock),
    sinceTurnMs: () => clock.monotonicMs() - machine.lastTickMs,
  });
  try {
    const server = await serve(at, {
      routes,
      onPost: auditTo({ ledger, clock }),
      status: asked.status,
      detail: () => showDetail(parts),
    });
    const { url, tokenFile, startLedger } = server;
    // A command that closes positions serves no page.
    if (url !== "")
      log.info(
        { event: "ready", url, tokenFile, ledgerFile: startLedger },
        `status page at ${url}${tokenFile === undefined ? "" : `; its token in ${tokenFile}`}`,
      );
    return server;
  } catch (cause) {
    const why = listenFault(cause);
    throw new StartError("failed", `server: ${at.host}:${at.port} ${why}; nothing was sent`, { cause });
  }
}

/** Why an address cannot be listened on, and which key of `section` changes that. */
export function listenFault(cause: unknown, section: "server" | "watchdog" = "server"): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `is in use: change ${section}.port`;
  if (code === "EACCES") return `is not allowed to this user: change ${section}.port to one above 1023`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `is no address of this machine: change ${section}.host`;
  return messageOf(cause);
}
