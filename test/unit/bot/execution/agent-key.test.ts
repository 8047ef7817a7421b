// Key files on a real disk: who may read them, what they may hold, and that no message says what they held.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentKeyOf, loadAgentKey, readKeyFile, writeKeyFile } from "../../../../src/bot/execution/agent-key.ts";
import { bytesOfHex } from "../../../../src/kernel/hex.ts";
import { PrivateFileError } from "../../../../src/kernel/private-file.ts";
import { createSigner, publicKeyOf } from "../../../../src/wire/signing.ts";

const seedHex = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const seed = bytesOfHex(seedHex);

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quoin-key-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function keyFile(content: string, mode: number): string {
  const path = join(folder, "agent.key");
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

function fault(run: () => unknown): PrivateFileError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof PrivateFileError) return thrown;
    throw thrown;
  }
  throw new Error("nothing was refused");
}

test("what is written is read back", () => {
  const path = join(folder, "new.key");
  writeKeyFile(path, seed);
  expect(statSync(path).mode & 0o7777).toBe(0o600);
  expect(readFileSync(path, "utf8")).toBe(`${seedHex}\n`);
  expect(readKeyFile(path)).toEqual(seed);
});

test("a key file is never overwritten, nor written through a link", () => {
  const path = keyFile(seedHex, 0o600);
  expect(fault(() => writeKeyFile(path, new Uint8Array(32))).code).toBe("private_file_exists");
  symlinkSync(join(folder, "target"), join(folder, "link"));
  expect(fault(() => writeKeyFile(join(folder, "link"), seed)).code).toBe("private_file_exists");
  expect(readFileSync(path, "utf8")).toBe(seedHex);
});

test("a folder that is not there is named", () => {
  expect(fault(() => writeKeyFile(join(folder, "none/a.key"), seed)).code).toBe("private_file_unwritable");
});

describe("read", () => {
  test.each([
    ["bare", seedHex],
    ["with a line end", `${seedHex}\n`],
    ["with a line end of the other custom", `${seedHex}\r\n`],
    ["in capitals", seedHex.toUpperCase()],
  ])("%s", (_, content) => {
    expect(readKeyFile(keyFile(content, 0o600))).toEqual(seed);
  });

  test.each([0o600, 0o400, 0o700, 0o500])("mode %o", (mode) => {
    expect(readKeyFile(keyFile(seedHex, mode))).toEqual(seed);
  });
});

describe("refused", () => {
  test.each([0o640, 0o604, 0o644, 0o610, 0o601, 0o666, 0o440])("mode %o", (mode) => {
    const refusal = fault(() => readKeyFile(keyFile(seedHex, mode)));
    expect(refusal.code).toBe("private_file_mode");
    expect(refusal.message).toContain(mode.toString(8));
  });

  test.each([
    ["empty", ""],
    ["too short", seedHex.slice(1)],
    ["too long", `${seedHex}0`],
    ["two line ends", `${seedHex}\n\n`],
    ["a blank in front", ` ${seedHex}`],
    ["a prefix", `0x${seedHex}`],
    ["no hex", `${seedHex.slice(1)}g`],
    ["a second line", `${seedHex}\nmore`],
    ["something long", seedHex.repeat(1000)],
  ])("%s, without a word of what it holds", (_, content) => {
    const path = keyFile(content, 0o600);
    const refusal = fault(() => readKeyFile(path));
    expect(refusal.code).toBe("private_file_malformed");
    expect(inspect(refusal)).not.toContain(seedHex.slice(2, 12));
  });

  test("a missing file, with the command that makes one", () => {
    const refusal = fault(() => readKeyFile(join(folder, "none")));
    expect([refusal.code, refusal.message]).toEqual([
      "private_file_missing",
      expect.stringContaining(`quoin keygen --out ${join(folder, "none")}`),
    ]);
  });

  test("a symbolic link, even to a good file", () => {
    symlinkSync(keyFile(seedHex, 0o600), join(folder, "link"));
    expect(fault(() => readKeyFile(join(folder, "link"))).code).toBe("private_file_symlink");
  });

  test("a directory", () => {
    mkdirSync(join(folder, "directory"), { mode: 0o700 });
    expect(fault(() => readKeyFile(join(folder, "directory"))).code).toBe("private_file_not_regular");
  });

  test("a file of root's that its group may read, unless an access list let another user in", (context) => {
    const path = keyFile(seedHex, 0o440);
    const { uid, gid } = statSync(path);
    if (uid !== 0 || gid !== 0) return context.skip("only root can make a file of root's");
    expect(fault(() => readKeyFile(path, 0)).code).toBe("private_file_mode");
    expect(readKeyFile(path, 12_345)).toEqual(seed);
    chmodSync(path, 0o460);
    expect(fault(() => readKeyFile(path, 12_345)).code).toBe("private_file_mode");
    chmodSync(path, 0o444);
    expect(fault(() => readKeyFile(path, 12_345)).code).toBe("private_file_mode");
  });

  test("a file of another user, unless that is root", () => {
    const path = keyFile(seedHex, 0o600);
    const owner = statSync(path).uid;
    expect(readKeyFile(path, owner)).toEqual(seed);
    if (owner === 0) expect(readKeyFile(path, 12_345)).toEqual(seed);
    else expect(fault(() => readKeyFile(path, 12_345)).code).toBe("private_file_owner");
  });
});

test("no way of printing an agent key prints more than its name", () => {
  const key = loadAgentKey(keyFile(seedHex, 0o600));
  expect(key.publicKey).toBe(publicKeyOf(seed));
  const base64 = Buffer.from(seed).toString("base64");
  for (const shown of [
    JSON.stringify({ key }),
    `${key}`,
    inspect(key, { depth: 9, showHidden: true }),
    inspect({ key }),
  ]) {
    expect(shown).toContain(key.fingerprint);
    expect(shown).not.toContain(seedHex.slice(0, 12));
    expect(shown).not.toContain(base64.slice(0, 12));
  }
  expect(Object.keys(agentKeyOf(createSigner(seed)))).toEqual(["fingerprint", "publicKey", "signer"]);
});
