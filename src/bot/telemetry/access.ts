// Who may use the daemon's HTTP. A browser is not trusted even on loopback: Host must be an address or a name that the operator configured,
// and Origin must be absent or ours. Every change needs the token; beyond loopback, every read does too.

import { createHash, timingSafeEqual } from "node:crypto";
import { type Clock, sleep } from "../../kernel/clock.ts";
import { isLoopback } from "../../kernel/loopback.ts";
import { commandText } from "../../kernel/typed-command.ts";
import { reportTiming } from "../timing.ts";

export type AccessOptions = {
  /** The listening address. */
  readonly host: string;
  readonly token: string;
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

export type Refusal = { readonly status: 401 | 403; readonly why: string };

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

  /** Undefined: the request may proceed. The right token never waits, whatever wrong ones came before. */
  async refusal({ method, path, host, origin, authorization, address }: Caller): Promise<Refusal | undefined> {
    if (!this.#isOurHost(host))
      return forbidden("the Host header names another host: server.hosts lists the allowed ones");
    if (origin !== undefined && origin !== `http://${host}`) return forbidden("the request comes from another site");
    if (method === "GET" && (OPEN_PATHS.has(path) || isLoopback(this.#options.host))) return undefined;
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (given === undefined)
      return unauthorized(`it needs Authorization: Bearer TOKEN; ${TOKEN_COMMAND} prints the token`);
    if (timingSafeEqual(digest(given), this.#token)) {
      this.#wrong.delete(address);
      return undefined;
    }
    await this.#pause(address);
    return unauthorized(`the token is wrong; ${TOKEN_COMMAND} prints the right one`);
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

const forbidden = (why: string): Refusal => ({ status: 403, why });
const unauthorized = (why: string): Refusal => ({ status: 401, why });
