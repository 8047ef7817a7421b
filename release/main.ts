// `npm run release-check`: what must hold before a version is given away, beside `npm run check`. Writes the list of what it contains
// (SBOM, CycloneDX) to var/sbom.cdx.json; exit 1 where a check fails.

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { changelogFault } from "./changelog.ts";
import { packAndQuote } from "./installed.ts";
import { type Bom, licenseFaults } from "./licenses.ts";

const project = resolve(import.meta.dirname, "..");
const NPM_MS_MAX = 120_000;

type Done = { readonly code: number; readonly out: string; readonly err: string };

function npm(...args: readonly string[]): Promise<Done> {
  return new Promise((done) => {
    const options = { cwd: project, timeout: NPM_MS_MAX, maxBuffer: 64 * 1024 * 1024 };
    execFile("npm", args, options, (error, out, err) => done({ code: error === null ? 0 : 1, out, err }));
  });
}

/** The checks in their order; each gives its faults. */
async function* checks(): AsyncGenerator<{
  readonly name: string;
  readonly faults: readonly string[];
  readonly says: string;
}> {
  const listed = await npm("sbom", "--package-lock-only", "--omit", "dev", "--sbom-format", "cyclonedx");
  if (listed.code !== 0) {
    yield { name: "sbom", faults: [listed.err.trim()], says: "" };
    return;
  }
  const file = join(project, "var", "sbom.cdx.json");
  mkdirSync(join(project, "var"), { recursive: true });
  writeFileSync(file, listed.out);
  const bom = JSON.parse(listed.out) as Bom;
  const { length } = bom.components;
  yield { name: "sbom", faults: [], says: `${length} packages in var/sbom.cdx.json` };
  yield { name: "licenses", faults: licenseFaults(bom), says: `${length} packages, all permissive` };
  yield await audit();
  const fault = changelogFault(readFileSync(join(project, "CHANGELOG.md"), "utf8"), manifest.version);
  yield { name: "changelog", faults: fault === null ? [] : [fault], says: `has a section ${manifest.version}` };
  yield await packed();
}

/** Known faults of what production needs. Without an answer of the registry nothing is known, which is said and fails nothing. */
async function audit() {
  const name = "audit";
  const { out } = await npm("audit", "--omit", "dev", "--json");
  const { vulnerabilities, message = "no answer" } = reportOf(out);
  if (vulnerabilities === undefined)
    return { name, faults: [], says: `skipped, the registry did not judge: ${message}` };
  const found = Object.keys(vulnerabilities);
  if (found.length > 0) return { name, faults: [`known faults in ${found.join(", ")}; see npm audit`], says: "" };
  return { name, faults: [], says: "no known fault in what production needs" };
}

/** The package that this checkout gives, in a folder where nothing else is. */
async function packed() {
  const name = "package";
  try {
    const { tarball } = await packAndQuote(project);
    return { name, faults: [], says: `${tarball} installs in an empty folder and quotes` };
  } catch (error) {
    return { name, faults: [error instanceof Error ? error.message : String(error)], says: "" };
  }
}

function reportOf(text: string): { readonly vulnerabilities?: object; readonly message?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // npm that has found no network does not always write JSON.
  }
}

for await (const { name, faults, says } of checks()) {
  process.stdout.write(
    faults.length === 0 ? `${name}: ${says}\n` : faults.map((fault) => `${name}: ${fault}\n`).join(""),
  );
  if (faults.length > 0) process.exitCode = 1;
}
