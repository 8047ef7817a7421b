// Which daemon a command finds by the notes in a private folder, on a machine whose processes are a table.

import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Log } from "../../../../src/bot/telemetry/log.ts";
import { announceDaemon, runningDaemon } from "../../../../src/daemon/running/running-daemon.ts";
import type { Host } from "../../../../src/host/host.ts";
import { processHost } from "../../../../src/host/process.ts";
import { PrivateFileError } from "../../../../src/kernel/private-file.ts";
import { scratchFolder } from "../../../support/scratch.ts";

let privateFolder: string;
/** When each process of the machine started, by id. */
let machine: Map<number, string>;
let warnings: string[];

beforeEach(() => {
  privateFolder = join(scratchFolder("running-daemon"), "private");
  machine = new Map([
    [100, "tick 1"],
    [200, "tick 2"],
  ]);
  warnings = [];
});

/** The host of process `self`. */
function hostOf(self: number): Host {
  const look = async (ids: readonly number[]) =>
    new Map(
      ids.flatMap((id) => {
        const startedAt = machine.get(id);
        return startedAt === undefined ? [] : [[id, { parent: 1, startedAt, session: null, words: [] }] as const];
      }),
    );
  return { ...processHost, privateFolder, processes: { self, parent: () => 1, look, hasNpmVariables: false } };
}
const log = { warn: (_: object, text: string) => warnings.push(text) } as unknown as Log;
const at = (port: number, file = "/desk/own.yaml", host = "127.0.0.1") => ({ file, server: { host, port } });
const announce = (pid: number, config: ReturnType<typeof at>, port = config.server.port) =>
  announceDaemon(
    config,
    { url: `http://${config.server.host}:${port}`, tokenFile: `/desk/${pid}.token` },
    hostOf(pid),
    log,
  );
const foundBy = async (config: ReturnType<typeof at>) => (await runningDaemon(config, hostOf(300)))?.pid;

describe("found", () => {
  test("by its file, whatever port it has chosen", async () => {
    await announce(100, at(0), 40_001);
    expect(await runningDaemon(at(0), hostOf(300))).toEqual({
      pid: 100,
      startedAt: "tick 1",
      url: "http://127.0.0.1:40001",
      config: "/desk/own.yaml",
      tokenFile: "/desk/100.token",
    });
  });

  test("by its address, from a copy of its file", async () => {
    await announce(100, at(9464));
    await announce(200, at(9465, "/desk/other.yaml", "0.0.0.0"));
    expect(await foundBy(at(9464, "/desk/copy.yaml"))).toBe(100);
    expect(await foundBy(at(9465, "/desk/copy.yaml"))).toBe(200);
  });

  test("the one at the address, of two that run on one file", async () => {
    await announce(100, at(9464));
    await announce(200, at(9465));
    expect(await foundBy(at(9465))).toBe(200);
  });
});

describe("not found", () => {
  test("before any daemon has run", async () => {
    expect(await foundBy(at(9464))).toBeUndefined();
  });

  test("another daemon", async () => {
    await announce(100, at(9464));
    expect(await foundBy(at(9465, "/desk/copy.yaml"))).toBeUndefined();
  });

  test("either of two on one file that have chosen their ports", async () => {
    await announce(100, at(0), 40_001);
    await announce(200, at(0), 40_002);
    expect(await foundBy(at(0))).toBeUndefined();
  });

  test("a daemon that has ended: it takes its note away", async () => {
    const withdraw = await announce(100, at(9464));
    withdraw();
    expect(readdirSync(privateFolder)).toEqual([]);
    expect(await foundBy(at(9464))).toBeUndefined();
  });

  test("a daemon that was killed, and another process that has its id", async () => {
    await announce(100, at(9464));
    machine.delete(100);
    expect(await foundBy(at(9464))).toBeUndefined();
    machine.set(100, "tick 9");
    expect(await foundBy(at(9464))).toBeUndefined();
  });

  test.each([
    ["half written", (text: string) => text.slice(0, 20)],
    ["of another process", (text: string) => text.replace('"pid":100', '"pid":200')],
    ["without a token's file", (text: string) => text.replace("tokenFile", "elsewhere")],
    ["no object", () => "null"],
  ])("a note that is %s", async (_, edit) => {
    await announce(100, at(9464));
    const path = join(privateFolder, "100.daemon");
    const text = processHost.files.read(path);
    writeFileSync(path, edit(text));
    expect(await foundBy(at(9464))).toBeUndefined();
  });

  test("a note that others could have written", async () => {
    await announce(100, at(9464));
    chmodSync(join(privateFolder, "100.daemon"), 0o622);
    expect(await foundBy(at(9464))).toBeUndefined();
  });
});

describe("the private folder", () => {
  test("is for its user alone, and so is each note", async () => {
    await announce(100, at(9464));
    expect(statSync(privateFolder).mode & 0o777).toBe(0o700);
    expect(statSync(join(privateFolder, "100.daemon")).mode & 0o777).toBe(0o600);
  });

  test("a start removes the notes of daemons that are gone, and nothing else", async () => {
    await announce(100, at(9464));
    await announce(200, at(9465));
    writeFileSync(join(privateFolder, "0123.token"), "a-token\n");
    machine.delete(100);
    machine.set(300, "tick 3");
    await announce(300, at(9466));
    expect(readdirSync(privateFolder)).toEqual(["0123.token", "200.daemon", "300.daemon"]);
  });

  test("edge: a note that another daemon is just writing stays", async () => {
    await announce(100, at(9464));
    writeFileSync(join(privateFolder, "200.daemon"), '{"pid":2', { mode: 0o600 });
    await announce(100, at(9464));
    expect(readdirSync(privateFolder)).toEqual(["100.daemon", "200.daemon"]);
  });

  test.each([
    ["that others can reach", () => mkdirSync(privateFolder, { mode: 0o755 }), "has mode 0755"],
    ["that is a link", () => symlinkSync("/", privateFolder), "is not a folder"],
    ["that is a file", () => writeFileSync(privateFolder, "", { mode: 0o600 }), "is not a folder"],
  ])("one %s is refused with a sentence, and the daemon runs on without a note", async (_, make, why) => {
    make();
    await expect(runningDaemon(at(9464), hostOf(300))).rejects.toThrow(why);
    await expect(runningDaemon(at(9464), hostOf(300))).rejects.toThrow(PrivateFileError);
    await announce(100, at(9464));
    expect(warnings).toEqual([expect.stringContaining(why)]);
    expect(existsSync(join(privateFolder, "100.daemon"))).toBe(false);
  });
});

test("forbidden: a note where the system does not tell when a process started", async () => {
  machine.delete(100);
  await announce(100, at(9464));
  expect(existsSync(privateFolder)).toBe(false);
});
