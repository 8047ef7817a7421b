// Writes every POST at the daemon's HTTP to the ledger: who halted, resumed or changed what, from where and why. Accepted values of signals
// are left out: ten a second would fill it, and a recording has them.

import type { Clock } from "../../../kernel/clock.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { PostCall } from "../../telemetry/http.ts";
import { processTiming } from "../../timing.ts";

/** Length kept of a body; valid ones are far shorter. */
const BODY_LENGTH_MAX = 1000;
const WORDS_LENGTH_MAX = 200;
/** Refused calls written per minute, so that somebody without a token cannot fill the disk. */
const REFUSED_PER_MINUTE = 10;

type AuditModules = { readonly ledger: Pick<Ledger, "keep">; readonly clock: Clock };

/** Returns what writes each call. */
export function auditTo({ ledger, clock }: AuditModules): (call: PostCall) => void {
  let minute = 0;
  let refused = 0;
  return ({ path, address, token, isAuthorized, body, status }) => {
    const atMs = clock.wallMs();
    if (isAuthorized && path.startsWith("/signals/")) return;
    if (!isAuthorized) {
      const now = Math.floor(atMs / processTiming.auditMs);
      refused = now === minute ? refused + 1 : 1;
      minute = now;
      if (refused > REFUSED_PER_MINUTE) return;
    }
    ledger.keep({
      kind: "audit",
      entry: {
        atMs,
        call: `POST ${path.slice(0, WORDS_LENGTH_MAX)}`,
        caller: token === null ? address : `${token} at ${address}`,
        isAuthorized,
        reason: reasonIn(body),
        body: body?.slice(0, BODY_LENGTH_MAX) ?? null,
        status,
      },
    });
  };
}

function reasonIn(body: string | null): string | null {
  try {
    const { reason } = JSON.parse(body ?? "{}") as { readonly reason?: unknown };
    return typeof reason === "string" ? reason.slice(0, WORDS_LENGTH_MAX) : null;
  } catch {
    return null;
  }
}
