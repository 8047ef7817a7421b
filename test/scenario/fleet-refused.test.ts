// What a node of a fleet does not start on: a wrong database, a schema that it does not know, a configuration that the fleet does not run.
// One line each, nothing sent to the exchange, and never a word of the password.

import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fleetInit } from "../../src/cli/fleet.ts";
import { processHost } from "../../src/host/process.ts";
import { ask, type Postgres, startPostgres } from "../support/postgres.ts";
import { endAll, quoin, quoinDone } from "../support/quoin.ts";
import { startPool } from "../support/startup-pool.ts";
import { withPostgres } from "../support/with-postgres.ts";
import { CHAIN_ID } from "./daemon.ts";

const TLS = resolve(import.meta.dirname, "../support/tls");
const SECRET = "hunter22";

withPostgres("a node of a fleet that must not start", () => {
  const folder = mkdtempSync(join(tmpdir(), "quoin-refused-"));
  let postgres: Postgres;
  let exchange: Server;
  /** What came to the exchange. */
  const asked: string[] = [];
  let silent: ReturnType<typeof createServer>;
  let tlsPort = 0;
  const databases = { empty: "", newer: "", fleet: "" };
  const portOf = (server: { readonly address: () => unknown }) => (server.address() as AddressInfo).port;

  beforeAll(async () => {
    exchange = createHttpServer(({ url }, answer) => {
      asked.push(url ?? "");
      answer.writeHead(503).end();
    }).listen(0, "127.0.0.1");
    silent = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
    const free = createServer().listen(0, "127.0.0.1");
    await Promise.all([exchange, silent, free].map((server) => once(server, "listening")));
    tlsPort = portOf(free);
    await new Promise((done) => free.close(done));
    postgres = await startPostgres({ port: tlsPort, cert: join(TLS, "cert.pem"), key: join(TLS, "key.pem") });
    await postgres.database("pooled");
    for (const name of ["empty", "newer", "fleet"] as const) databases[name] = await postgres.database(name);
    await ask(databases.empty, `create role locked login password 'other'`);
    writeFileSync(join(folder, "a.key"), "1".repeat(64), { mode: 0o600 });
    for (const name of ["newer", "fleet"] as const)
      expect(await fleetInit({ config: configured(name, databases[name]) }, { ...processHost, stdout: () => {} })).toBe(
        0,
      );
    await ask(databases.newer, "update quoin.fleet set version = 99");
  });
  afterAll(async () => {
    await endAll();
    await postgres?.end();
    exchange?.close();
    silent?.close();
    rmSync(folder, { recursive: true });
  });

  const urlFile = (name: string) => join(folder, `${name}.url`);

  function configured(name: string, url: string, maxPosition = 20): string {
    writeFileSync(urlFile(name), `${url}\n`, { mode: 0o600 });
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, botYaml({ exchange: portOf(exchange), name, maxPosition }));
    return file;
  }

  const fleetRun = (name: string, url: string) => quoinDone(["fleet", "run", "--config", configured(name, url)]);

  it("is told in one line what is wrong with its database; nothing is sent, and no password is shown", async () => {
    const onSocket = (user: string, name: string) =>
      `postgres://${user}:${SECRET}@localhost:${tlsPort}/${name}${databases.empty.replace(/.*\?/, "?")}`;
    const onTls = (host: string, query: string) => `postgres://quoin:${SECRET}@${host}:${tlsPort}/empty?${query}`;
    const on = (host: string) => `postgres://quoin:${SECRET}@${host}/x`;
    const full = `sslmode=verify-full&sslrootcert=${join(TLS, "cert.pem")}`;
    const refused = [
      [on("127.0.0.1:1"), 1, "connect ECONNREFUSED 127.0.0.1:1"],
      [onSocket("locked", "empty"), 1, 'password authentication failed for user "locked"'],
      [databases.newer, 1, "the schema has version 99, this program knows"],
      [onTls("localhost", full), 1, "the database has no schema of this version"],
      [onSocket("quoin", "none"), 1, 'database "none" does not exist'],
      [on(`127.0.0.1:${portOf(exchange)}`), 1, ""],
      [onTls("localhost", "sslmode=verify-full"), 1, "self-signed certificate"],
      [onTls("127.0.0.1", full), 1, "does not match certificate"],
      [onTls("localhost", "sslmode=disable"), 1, "no encryption"],
      [on("db.example"), 2, "a database on db.example must say sslmode=verify-full"],
      [`${on("localhost")}?sslmode=require`, 2, "must say sslmode=verify-full"],
      [on("#"), 2, "it holds no postgres:// URL"],
      [on("localhost").replace("postgres", "mysql"), 2, "it holds no postgres:// URL"],
    ] as const;
    const judge = async (name: string, url: string, exit: number, says: string): Promise<void> => {
      const { code, stdout, stderr } = await fleetRun(name, url);
      expect({ code, stdout, stderr }).toEqual({ code: exit, stdout: "", stderr: expect.stringContaining(says) });
      expect(stderr.split("\n")).toHaveLength(2);
      expect(stderr).not.toContain(SECRET);
    };
    // One after the other, or a machine with much to do takes one of them for silent too.
    for (const [at, [url, exit, says]] of refused.entries()) await judge(`refused-${at}`, url, exit, says);
    await judge("silent", on(`127.0.0.1:${portOf(silent)}`), 1, "timeout");
    expect(asked).toEqual([]);
  });

  it("behind a pool that does not pass what it needs it names the parameter and what to set, and works once that is set", async () => {
    const named = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
    const init = async (ignored: readonly string[]) => {
      const pool = await startPool(postgres.socketPath, ignored);
      const config = configured("pool", `postgres://quoin:${SECRET}@127.0.0.1:${pool.port}/pooled`);
      const done = await quoinDone(["fleet", "init", "--config", config]);
      pool.close();
      return done;
    };
    for (const [at, parameter] of named.entries()) {
      const { code, stdout, stderr } = await init(named.slice(0, at));
      expect([code, stdout, stderr]).toEqual([
        1,
        "",
        `quoin: the fleet's database: unsupported startup parameter: ${parameter}; the pool does not pass ${parameter}: name PostgreSQL itself in the URL, or set ignore_startup_parameters = ${named.join(", ")} and pool_mode = session in the pool's configuration (pgbouncer.ini)\n`,
      ]);
    }
    expect(await init(named)).toMatchObject({ code: 0, stderr: "" });
  });

  it("reads no URL from a file that others may read", async () => {
    const config = configured("open", databases.fleet);
    chmodSync(urlFile("open"), 0o644);
    const { code, stderr } = await quoinDone(["fleet", "run", "--config", config]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("fleet.databaseUrlFile")]);
    expect(stderr).not.toContain("postgres://");
  });

  it("takes nothing with accounts or limits that the fleet does not run, and says so until it is stopped", async () => {
    const node = quoin(["fleet", "run", "--config", configured("other", databases.fleet, 21)]);
    const url = await node.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
    await node.seen("its word", (text) => text.includes('"event":"fleet.otherConfiguration"'));
    const { ready, reasons } = (await (await fetch(`${url}/readyz`)).json()) as { ready: boolean; reasons: string[] };
    expect([ready, reasons[0]]).toEqual([false, expect.stringContaining("run fleet init with the file")]);
    const shards = await ask(databases.fleet, "select node from quoin.shards");
    expect(shards).toEqual([{ node: null }]);
    expect(await node.end()).toBe(0);
    expect(new Set(asked), "it listens to the stream for the time alone").toEqual(new Set(["/v1/ws"]));
  });
});

const botYaml = ({ exchange, name, maxPosition }: { exchange: number; name: string; maxPosition: number }): string => `
venue: { chainId: ${CHAIN_ID}, validatorUrl: "http://127.0.0.1:${exchange}" }
accounts:
  - accountId: 12
    agentKeyFile: a.key
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.2 }
        limits: { maxPosition: ${maxPosition}, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
server: { host: 127.0.0.1, port: 0 }
ledger: { file: var/${name}.sqlite }
fleet: { databaseUrlFile: ${name}.url, node: ${name}, leaseMs: 2000 }
`;
