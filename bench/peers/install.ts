// Installs the peers into a virtual environment of Python, in a temporary folder: they are no dependencies of Quoin.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** A package of PyPI, and the script here that runs it. */
export type Peer = { readonly name: string; readonly version: string; readonly script: string };

export const peers = {
  hftbacktest: { name: "hftbacktest", version: "2.4.4", script: "hftbacktest_run.py" },
  nautilus: { name: "nautilus_trader", version: "1.221.0", script: "nautilus_run.py" },
} as const satisfies Record<string, Peer>;

export type Installed = { readonly python: string; readonly installed: ReadonlySet<Peer> };

/** What cannot be measured, in a sentence. */
export class PeerError extends Error {
  override readonly name = "PeerError";
}

/** Python in `folder`, made when it is not there. Throws PeerError when python3, or its venv and pip, are missing. */
export function pythonIn(folder: string): string {
  const python = join(folder, "venv", "bin", "python");
  if (existsSync(python)) return python;
  const made = spawnSync("python3", ["-m", "venv", join(folder, "venv")], { encoding: "utf8" });
  if (made.error !== undefined) throw new PeerError("the peers run in Python: there is no python3 on the PATH");
  if (made.status !== 0)
    throw new PeerError("the peers are installed by pip: this python3 has no venv and pip (Debian: python3-venv)");
  return python;
}

/** Throws PeerError when pip does not install that version. */
export function install(python: string, { name, version }: Peer): void {
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", `${name}==${version}`];
  const { status, stderr } = spawnSync(python, pip, { encoding: "utf8" });
  if (status === 0) return;
  const why = stderr.trim().split("\n").at(-1) ?? "";
  throw new PeerError(`pip does not install ${name} ${version}: ${why}`);
}

/** What the peer's script printed, by line. Throws PeerError when it fails. */
export function run(python: string, { name, script }: Peer, given: readonly string[]): readonly unknown[] {
  const { status, stdout, stderr } = spawnSync(python, [join(import.meta.dirname, script), ...given], {
    encoding: "utf8",
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (status !== 0) throw new PeerError(`${name} failed: ${stderr.trim().split("\n").at(-1) ?? ""}`);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}
