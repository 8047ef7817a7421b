// Who may use the daemon's HTTP. A browser is not trusted even on loopback: Host must be an address or a name that the operator configured,
// and Origin must be absent or ours. Every POST needs a token; reads need one beyond loopback, or where the configuration says so.

import { createHash, timingSafeEqual } from "node:crypto";
import { type Clock, sleep } from "../../kernel/clock.ts";
import { isLoopback } from "../../kernel/loopback.ts";
import { commandText } from "../../kernel/typed-command.ts";
import { reportTiming } from "../timing.ts";
import { type Scope, scopeOf } from "./scopes.ts";

/** A token below the administrator's. */
export type ScopedToken = { readonly name: string; readonly token: string; readonly scopes: ReadonlySet<Scope> };

export type AccessOptions = {
  /** The listening address. */
  readonly host: string;
  /** The administrator's. */
  readonly token: string;
  /** Returns the tokens below the administrator's that are valid now. */
  readonly scoped: () => readonly ScopedToken[];
  /** Whether reads need a token on loopback too. */
  readonly requireTokenForReads: boolean;
  /** Names of the daemon's host, besides IP addresses and localhost. */
  readonly hosts: readonly string[];
};

/** The request's own description. */
export type Caller = {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  /** Remote address. */
  readonly address: string;
};

/** `name`: of a valid token without the scope; else null. */
export type Refusal = { readonly status: 401 | 403; readonly why: string; readonly name: string | null };

export type Grant = {
  /** Name of the token; null: the administrator's, or no token was needed. */
  readonly name: string | null;
  readonly isAdmin: boolean;
  /** Whether the request steers the daemon: its connection is kept when many are open. */
  readonly steers: boolean;
  /** False once the token has been revoked or has lost the scope. */
  readonly isValid: () => boolean;
};

/** For probes, scrapers and the watchdog, which have no token. */
const OPEN_PATHS = new Set(["/livez", "/readyz", "/heartbeat", "/metrics"]);
/** Without the file's path, so that callers from other machines learn no paths of this one. */
const TOKEN_COMMAND = commandText("token --config FILE");
/** Most answers that wait; further ones are sent at once, so that wrong tokens do not use up the connections. */
const WAITING_MAX = 32;
/** Addresses whose wrong tokens are counted; beyond that the counts start over. */
const ADDRESSES_MAX = 1000;

export class Access {
  readonly #options: AccessOptions;
  readonly #clock: Clock;
  readonly #token: Buffer;
  readonly #wrong = new Map<string, number>();
  #waiting = 0;

  constructor(options: AccessOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#token = digest(options.token);
  }

  /** Returns what the caller was granted, or why not. A valid token never waits, whatever wrong ones came before. */
  async admit({ method, path, host, origin, authorization, address }: Caller): Promise<Grant | Refusal> {
    if (!this.#isOurHost(host))
      return forbidden("the Host header names another host: server.hosts lists the allowed ones");
    if (origin !== undefined && origin !== `http://${host}`) return forbidden("the request comes from another site");
    if (method === "GET" && (OPEN_PATHS.has(path) || this.#areReadsOpen())) return openRead;
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (given === undefined)
      return unauthorized(`it needs Authorization: Bearer TOKEN; ${TOKEN_COMMAND} prints the token`);
    const digestGiven = digest(given);
    if (timingSafeEqual(digestGiven, this.#token)) {
      this.#wrong.delete(address);
      return administrator;
    }
    const known = this.#scopedToken(digestGiven);
    if (known !== undefined) return this.#admitScoped(known, digestGiven, scopeOf(method, path));
    await this.#pause(address);
    return unauthorized(`the token is wrong; ${TOKEN_COMMAND} prints the right one`);
  }

  #admitScoped({ name, scopes }: ScopedToken, digestGiven: Buffer, scope: Scope | null): Grant | Refusal {
    if (scope === null) return { ...forbidden(`token ${name}: only the administrator's token may do this`), name };
    if (!scopes.has(scope)) return { ...forbidden(`token ${name} lacks the scope ${scope}`), name };
    return {
      name,
      isAdmin: false,
      steers: scope === "operate" || scope === "change",
      isValid: () => this.#scopedToken(digestGiven)?.scopes.has(scope) ?? false,
    };
  }

  #scopedToken(digestGiven: Buffer): ScopedToken | undefined {
    return this.#options.scoped().find(({ token }) => timingSafeEqual(digest(token), digestGiven));
  }

  #areReadsOpen(): boolean {
    return isLoopback(this.#options.host) && !this.#options.requireTokenForReads;
  }

  #isOurHost(header: string | undefined): boolean {
    const name = header?.toLowerCase().replace(/:\d{1,5}$/, "");
    if (name === undefined) return false;
    if (name === "localhost" || isAddress(name)) return true;
    return this.#options.hosts.some((host) => host.toLowerCase() === name);
  }

  async #pause(address: string): Promise<void> {
    const before = this.#wrong.get(address) ?? 0;
    if (this.#wrong.size >= ADDRESSES_MAX) this.#wrong.clear();
    this.#wrong.set(address, before + 1);
    if (this.#waiting >= WAITING_MAX) return;
    this.#waiting += 1;
    await sleep(this.#clock, Math.min(reportTiming.wrongTokenMinMs * 2 ** before, reportTiming.wrongTokenMaxMs));
    this.#waiting -= 1;
  }
}

/** An IP address as in a URL. No name that a foreign DNS can answer for looks like one. */
const isAddress = (name: string): boolean =>
  /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/.test(name) && URL.canParse(`http://${name}`);

/** Always the same length, so that a comparison always takes the same time. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const administrator: Grant = { name: null, isAdmin: true, steers: true, isValid: () => true };
const openRead: Grant = { name: null, isAdmin: false, steers: false, isValid: () => true };
const forbidden = (why: string): Refusal => ({ status: 403, why, name: null });
const unauthorized = (why: string): Refusal => ({ status: 401, why, name: null });
