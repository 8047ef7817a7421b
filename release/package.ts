// What `npm pack` gives away: the compiled program, since Node strips no types below node_modules, with everything that it reads beside it.
// The checkout itself has no build step: `prepack` writes dist/ and turns package.json into the package's own, `postpack` turns it back.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documents } from "../src/cli/mcp.ts";

/** Of package.json, what differs between the checkout and the package. */
type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly type: string;
  readonly engines: object;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

type Lock = { readonly packages: Readonly<Record<string, LockedPackage>> };
type LockedPackage = {
  readonly dev?: true;
  readonly optional?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
};

/** The package runs on the Node.js of its machine; the checkout's own says what npm needs to bring the pinned one. */
export const engines = { node: ">=24" };
/** What an editor needs for a strategy's test. */
const TYPES = "@types/node";
/** Of config/, by name: a user keeps configurations of their own there. */
export const configurations = [
  "compose.fleet.yaml",
  "compose.yaml",
  "container.example.yaml",
  "demo.yaml",
  "devnet-daily.yaml",
  "devnet.schema.json",
  "devnet.yaml",
  "fleet.example.yaml",
  "grafana/provisioning/dashboards/quoin.yaml",
  "grafana/provisioning/datasources/prometheus.yaml",
  "grafana/quoin.json",
  "kubernetes/fleet.yaml",
  "kubernetes/quoin.yaml",
  "kubernetes/watchdog.yaml",
  "livez.pl",
  "production.example.yaml",
  "prometheus/prometheus.yaml",
  "prometheus/rules.test.yaml",
  "prometheus/rules.yaml",
  "quoin.schema.json",
  "systemd/quoin-fleet.service",
  "systemd/quoin-watchdog.service",
  "systemd/quoin.service",
  "worlds.yaml",
];
/** Copied as they are: read by the program, or served by it. */
const COPIED = [
  "src/start.js",
  ...["look.css", "icon.svg", "chart-frame.js"].map((name) => `src/look/${name}`),
  "src/bot/dashboard/page",
  "src/report/browser",
  ...["own.ts", "own.test.ts", "own.yaml"].map((name) => `strategies/template/${name}`),
  ...configurations.map((name) => `config/${name}`),
  ...documents.map((name) => `docs/${name}.md`),
  "tsconfig.json",
];

/** The checkout's package.json while the package's own stands in its place. */
const kept = (project: string): string => join(project, "package.checkout.json");
const manifestOf = (project: string): string => join(project, "package.json");
const shrinkwrapOf = (project: string): string => join(project, "npm-shrinkwrap.json");

/** Compiles the checkout `project` into its dist/. `commit`: what the package says that it was made of. Throws where it does not compile. */
export function build(project: string, commit: string): void {
  const dist = join(project, "dist");
  const checkout = JSON.parse(readFileSync(manifestOf(project), "utf8")) as Manifest;
  rmSync(dist, { recursive: true, force: true });
  execFileSync(join(project, "node_modules", ".bin", "tsc"), ["--project", join(project, "release")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  for (const path of COPIED) cpSync(join(project, path), join(dist, path), { recursive: true });
  // What the program reads of it. The package's own says what may be imported; Node ignores a second list here.
  const { name, version, description, type, dependencies } = checkout;
  writeJson(join(dist, "package.json"), { name, version, description, type, gitHead: commit, dependencies });
}

/** `prepack`: package.json is the package's own from here on, and the versions of all that it needs stand in npm-shrinkwrap.json. */
export function prepack(project: string): void {
  postpack(project);
  const commit = commitOf(project);
  build(project, commit);
  const written = readFileSync(manifestOf(project), "utf8");
  const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as Lock;
  writeFileSync(kept(project), written);
  writeJson(manifestOf(project), packaged(JSON.parse(written) as Manifest, commit));
  writeJson(shrinkwrapOf(project), shrinkwrap(lock, JSON.parse(readFileSync(manifestOf(project), "utf8"))));
}

/** `postpack`: the checkout is as it was. Harmless where nothing was packed. */
export function postpack(project: string): void {
  rmSync(shrinkwrapOf(project), { force: true });
  if (!existsSync(kept(project))) return;
  writeFileSync(manifestOf(project), readFileSync(kept(project), "utf8"));
  rmSync(kept(project));
}

/** The package's own package.json. */
function packaged(checkout: Manifest, commit: string): Manifest {
  const { devDependencies = {}, ...rest } = checkout;
  const { scripts: _, optionalDependencies: __, allowScripts: ___, ...manifest } = rest as Record<string, unknown>;
  const compiled = (path: string): string => `./dist/${path.replace(/^\.\//, "").replace(/\.ts$/, "")}`;
  const types = devDependencies[TYPES];
  if (types === undefined) throw new Error(`package.json pins no ${TYPES}`);
  return {
    ...manifest,
    gitHead: commit,
    engines,
    files: ["dist", "npm-shrinkwrap.json"],
    exports: Object.fromEntries(
      Object.entries(checkout.exports).map(([name, path]) => [
        name,
        { types: `${compiled(path)}.d.ts`, default: `${compiled(path)}.js` },
      ]),
    ),
    bin: Object.fromEntries(Object.entries(checkout.bin).map(([name, path]) => [name, `./dist/${path}`])),
    dependencies: { ...checkout.dependencies, [TYPES]: types },
  } as unknown as Manifest;
}

/** The lock file of the package: what production needs, at the versions that were tested. */
export function shrinkwrap(lock: Lock, manifest: Manifest & Record<string, unknown>): object {
  const needed = new Set([TYPES]);
  for (const name of needed)
    for (const further of Object.keys(lock.packages[`node_modules/${name}`]?.dependencies ?? {})) needed.add(further);
  const isNeeded = (path: string): boolean => needed.has(path.replace(/^node_modules\//, ""));
  const packages = Object.entries(lock.packages)
    .filter(([path, { dev, optional }]) => path !== "" && optional !== true && (dev !== true || isNeeded(path)))
    .map(([path, { dev: _, ...locked }]) => [path, locked]);
  const { name, version, license, dependencies, bin, engines } = manifest;
  const root = { name, version, license, dependencies, bin, engines };
  return { ...lock, packages: { "": root, ...Object.fromEntries(packages) } };
}

/** Empty where the folder is no checkout of git. */
function commitOf(project: string): string {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { cwd: project, stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    return "";
  }
}

const writeJson = (path: string, value: object): void => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
