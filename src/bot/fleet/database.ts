// The fleet's PostgreSQL, reduced to what is needed: statements with a time limit, transactions, and notifications from other nodes. No
// error or text contains the URL or a password.

import { Client, type ClientBase, Pool, type QueryResult, type QueryResultRow } from "pg";
import type { Clock, Timer } from "../../kernel/clock.ts";
import { CodedError, messageOf } from "../../kernel/errors.ts";
import { isLoopback } from "../../kernel/loopback.ts";
import { fleetTiming } from "../timing.ts";

/** `unreachable`: no usable answer. `schema`: not created yet, or newer than this program. `refused`: by the fleet's own rules. */
export class FleetError extends CodedError<"unreachable" | "schema" | "refused"> {}

/** SQLSTATE classes for errors in the statement's own values: a data exception, a constraint, a program limit. */
const OF_VALUES = /^(22|23|54)/;

/** Whether the same statement may succeed later: the database did not answer, rather than refuse. */
export const isAway = (error: unknown): boolean =>
  error instanceof FleetError && error.code === "unreachable" && !OF_VALUES.test(String(error.facts.sqlState ?? ""));

/** Sends one statement (or several, without values) and returns the rows. Throws FleetError `unreachable`. */
export type Ask = (text: string, values?: readonly unknown[]) => Promise<readonly QueryResultRow[]>;

export type Database = {
  readonly ask: Ask;
  /** All or nothing. Throws what `run` throws, and FleetError. */
  readonly inTransaction: <T>(run: (ask: Ask) => Promise<T>) => Promise<T>;
  /** Calls back at each notification, and after each break of the listening connection. */
  readonly listen: (onNote: () => void) => void;
  readonly close: () => Promise<void>;
};

/** Channel for notifications between nodes. */
export const CHANNEL = "quoin_fleet";

const CONNECTIONS_MAX = 4;

/** Opens no connection yet. `timeoutMs`: time limit of a statement. Throws FleetError. */
export function openDatabase(url: string, timeoutMs: number, clock: Clock): Database {
  checkUrl(url);
  const options = {
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    ...limitsOf(timeoutMs),
    application_name: "quoin",
    keepAlive: true,
  };
  const pool = new Pool({ ...options, max: CONNECTIONS_MAX });
  // A broken connection is replaced at the next use; the running statement fails with its own error.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const askBy =
    (client: Pick<ClientBase, "query"> | Pool): Ask =>
    async (text, values = []) => {
      try {
        // Several statements in one text give several results, which the types do not show.
        const results: readonly QueryResult[] = [await client.query(text, [...values])].flat();
        return results.flatMap(({ rows }) => rows);
      } catch (cause) {
        throw errorOf(cause, url);
      }
    };
  const ear = listenOn(options, clock);
  return {
    ask: askBy(pool),
    async inTransaction(run) {
      const client = await pool.connect().catch((cause: unknown) => {
        throw errorOf(cause, url);
      });
      const ask = askBy(client);
      try {
        await ask("begin");
        const result = await run(ask);
        await ask("commit");
        client.release();
        return result;
      } catch (error) {
        // Closing the connection discards its open transaction.
        client.release(true);
        throw error;
      }
    },
    listen: ear.start,
    async close() {
      ear.stop();
      await pool.end();
    },
  };
}

/** Startup parameters, which the server itself enforces; a connection pool in between may not pass them on. */
const limitsOf = (timeoutMs: number) => ({
  statement_timeout: timeoutMs,
  lock_timeout: timeoutMs,
  idle_in_transaction_session_timeout: 2 * timeoutMs,
});

/** A remote connection must be encrypted with a verified certificate, unless the owner has explicitly allowed otherwise. */
function checkUrl(text: string): void {
  const url = /^postgres(ql)?:\/\/\S+$/.test(text) ? URL.parse(text) : null;
  if (url === null) throw new FleetError("refused", "it holds no postgres:// URL");
  const host = url.searchParams.get("host") ?? url.hostname;
  const mode = url.searchParams.get("sslmode");
  const isHere = host === "" || host.startsWith("/") || isLoopback(host);
  if (mode === "verify-full" || mode === "disable" || (mode === null && isHere)) return;
  const choice =
    "sslmode=verify-full (TLS; sslrootcert=FILE names who signed), or sslmode=disable where the way is private";
  throw new FleetError("refused", `the URL of a database on ${host} must say ${choice}`);
}

function listenOn(options: ConstructorParameters<typeof Client>[0] & object, clock: Clock) {
  let client: Client | undefined;
  let again: Timer | undefined;
  let isOver = false;
  async function start(onNote: () => void): Promise<void> {
    // A client of its own, because it waits for notifications, not for answers.
    const own = new Client(options);
    client = own;
    let isBroken = false;
    const retry = (): void => {
      if (isBroken) return;
      isBroken = true;
      void own.end().catch(() => {});
      if (!isOver) again = clock.after(fleetTiming.listenAgainMs, () => void start(onNote));
    };
    own.on("error", retry);
    own.on("end", retry);
    own.on("notification", onNote);
    try {
      await own.connect();
      await own.query(`listen ${CHANNEL}`);
      onNote();
    } catch {
      retry();
    }
  }
  return {
    start: (onNote: () => void): void => void start(onNote),
    stop(): void {
      isOver = true;
      again?.cancel();
      void client?.end().catch(() => {});
    },
  };
}

/** The error of the database or the connection, without secrets. */
function errorOf(cause: unknown, url: string): FleetError {
  const password = URL.parse(url)?.password ?? "";
  const inner = cause instanceof AggregateError && cause.errors.length > 0 ? cause.errors[0] : cause;
  let said = messageOf(inner).replaceAll(url, "the URL");
  for (const secret of [password, decoded(password)]) if (secret !== "") said = said.replaceAll(secret, "…");
  const code = inner instanceof Error && "code" in inner ? { sqlState: String(inner.code) } : {};
  said = said.replaceAll(/\s+/g, " ");
  return new FleetError("unreachable", `${said}${poolAdvice(said)}`, { facts: code });
}

/** Advice if a pool such as PgBouncer does not pass on what a fleet needs; "" for other errors. */
function poolAdvice(said: string): string {
  const [, parameter] = /unsupported startup parameter(?: in options)?: (\w+)/.exec(said) ?? [];
  const [here, pool] = ["name PostgreSQL itself in the URL", "in the pool's configuration (pgbouncer.ini)"];
  if (parameter !== undefined) {
    const all = [...new Set([...Object.keys(limitsOf(0)), parameter])].join(", ");
    return `; the pool does not pass ${parameter}: ${here}, or set ignore_startup_parameters = ${all} and pool_mode = session ${pool}`;
  }
  if (/prepared statement .*(does not exist|already exists)/.test(said))
    return `; the pool does not keep prepared statements: ${here}, or set max_prepared_statements = 200 or pool_mode = session ${pool}`;
  if (/not allowed in statement pooling mode/.test(said))
    return `; the pool allows no transactions: ${here}, or set pool_mode = session ${pool}`;
  return "";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
