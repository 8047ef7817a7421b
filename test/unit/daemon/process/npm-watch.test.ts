// Which processes a daemon watches and when it stops, on machines whose processes are a table; then the processes of this machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { untilDaemonStops } from "../../../../src/daemon/process/npm-watch.ts";
import { processHost } from "../../../../src/host/process.ts";
import { lookByPs, lookInProc, type Processes, type ProcessFacts } from "../../../../src/host/process-list.ts";
import { macrotask } from "../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { until } from "../../../support/until.ts";

const SELF = 50;
const process_ = (parent: number, command: string, session: number | null = 10): ProcessFacts => ({
  parent,
  startedAt: `${parent}`,
  session,
  words: command.split(" "),
});

/** npx, its shell and the daemon, below a terminal. */
const npx = (): Map<number, ProcessFacts> =>
  new Map([
    [1, process_(0, "/sbin/init", 1)],
    [10, process_(1, "bash", 10)],
    [20, process_(10, "npm exec quoin run --config live.yaml")],
    [30, process_(20, "sh -c quoin run --config live.yaml")],
    [SELF, process_(30, "node start.js run")],
  ]);

type SceneOptions = {
  readonly hasNpmVariables?: boolean;
  readonly isHidden?: boolean;
  readonly onLook?: (ids: readonly number[]) => void;
};

function scene(
  table: Map<number, ProcessFacts>,
  { hasNpmVariables = true, isHidden = false, onLook = () => {} }: SceneOptions = {},
) {
  const clock = createVirtualClock({ startMs: 1_790_000_000_000, settle: macrotask });
  const machine = { isHidden, isEmpty: false };
  const processes: Processes = {
    self: SELF,
    hasNpmVariables,
    parent: () => table.get(SELF)?.parent ?? 0,
    look: async (ids) => {
      if (machine.isHidden) throw new Error("no file descriptor is left");
      if (machine.isEmpty) return new Map();
      onLook(ids);
      return new Map(ids.flatMap((id) => (table.has(id) ? [[id, table.get(id) as ProcessFacts]] : [])));
    },
  };
  let said: string | undefined;
  void untilDaemonStops({ ...processHost, clock, processes, onSignal: () => () => {} }).then((reason) => {
    said = reason;
  });
  return {
    machine,
    /** What stopped the daemon, three looks from now. */
    later: async () => {
      for (let second = 0; second < 3; second += 1) await clock.advance(1000);
      return said;
    },
  };
}

const adopt = (table: Map<number, ProcessFacts>, child: number, by: number): void => {
  table.set(child, { ...(table.get(child) as ProcessFacts), parent: by });
};

const GONE = "npm has ended";

describe("below npm", () => {
  it.each([20, 30])("process %i ends: the daemon stops, and not before", async (ended) => {
    const table = npx();
    const { later } = scene(table);
    expect(await later()).toBeUndefined();
    table.delete(ended);
    for (const [id, { parent }] of table) if (parent === ended) adopt(table, id, 1);
    expect(await later()).toBe(GONE);
  });

  it("another process gets npm's id: npm has ended all the same", async () => {
    const table = npx();
    const { later } = scene(table);
    expect(await later()).toBeUndefined();
    table.set(20, { ...process_(1, "npm exec quoin run --config live.yaml"), startedAt: "later" });
    expect(await later()).toBe(GONE);
  });

  it("the terminal above npm ends: nothing happens", async () => {
    const table = npx();
    const { later } = scene(table);
    table.delete(10);
    adopt(table, 20, 1);
    expect(await later()).toBeUndefined();
  });

  it("the system does not tell for a while: only another parent counts", async () => {
    const table = npx();
    const { later, machine } = scene(table);
    expect(await later()).toBeUndefined();
    machine.isHidden = true;
    expect(await later()).toBeUndefined();
    adopt(table, SELF, 1);
    expect(await later()).toBe(GONE);
  });

  it.each([
    "node /usr/bin/npm start",
    "/usr/bin/node --no-warnings /usr/lib/node_modules/npm/bin/npx-cli.js quoin run",
    "node /usr/lib/node_modules/corepack/dist/pnpm.js exec quoin run",
    "node .yarn/releases/yarn-4.9.1.cjs quoin run",
  ])("%s", async (command) => {
    const table = npx().set(20, process_(10, command));
    const { later } = scene(table);
    expect(await later()).toBeUndefined();
    table.delete(20);
    expect(await later()).toBe(GONE);
  });
});

describe("npm has ended before the daemon looks", () => {
  const early = (ended: number) => {
    const table = npx();
    table.delete(ended);
    for (const [id, { parent }] of table) if (parent === ended) adopt(table, id, 1);
    return table;
  };

  it.each([20, 30])("process %i was there: it stops", async (ended) => {
    expect(await scene(early(ended)).later()).toBe(GONE);
  });

  it("its shell ends between two looks of the walk: it stops", async () => {
    const table = npx();
    const { later } = scene(table, {
      onLook: (ids) => {
        if (!ids.includes(30) || !table.delete(30)) return;
        adopt(table, SELF, 1);
      },
    });
    expect(await later()).toBe(GONE);
  });

  it("npm ends between two looks of the walk: it stops", async () => {
    const table = npx();
    const { later } = scene(table, {
      onLook: (ids) => {
        if (!ids.includes(20) || !table.delete(20)) return;
        adopt(table, 30, 1);
      },
    });
    expect(await later()).toBe(GONE);
  });

  it.each([20, 30])("without npm's variables an adopted daemon trades on (%i)", async (ended) => {
    expect(await scene(early(ended), { hasNpmVariables: false }).later()).toBeUndefined();
  });

  it.each([20, 30])(
    "a container's first process leads no session, and adopts within its own: it stops (%i)",
    async (ended) => {
      const table = new Map([...early(ended)].map(([id, facts]) => [id, { ...facts, session: 0 }]));
      expect(await scene(table).later()).toBe(GONE);
    },
  );

  it("where sessions are not told, whoever the first process has adopted is an orphan", async () => {
    const table = new Map([...early(30)].map(([id, facts]) => [id, { ...facts, session: null }]));
    expect(await scene(table).later()).toBe(GONE);
  });
});

it("npm is a container's first process: the daemon runs until npm's shell ends", async () => {
  const table = new Map([
    [1, process_(0, "npm start", 0)],
    [30, process_(1, "sh -c quoin run --config live.yaml", 0)],
    [SELF, process_(30, "node start.js run", 0)],
  ]);
  const { later } = scene(table);
  expect(await later()).toBeUndefined();
  table.delete(30);
  adopt(table, SELF, 1);
  expect(await later()).toBe(GONE);
});

describe("without npm", () => {
  /** A terminal that was opened below npm, which ended long ago, has its variables for good. */
  const terminal = () =>
    new Map([
      [1, process_(0, "/sbin/init", 1)],
      [10, process_(1, "bash", 10)],
      [SELF, process_(10, "node start.js run")],
    ]);

  it.each([true, false])("the parent ends: it trades on (npm's variables: %j)", async (hasNpmVariables) => {
    const table = terminal();
    const { later } = scene(table, { hasNpmVariables });
    expect(await later()).toBeUndefined();
    table.delete(10);
    adopt(table, SELF, 1);
    expect(await later()).toBeUndefined();
  });

  it.each(["node npm-report.js", "sh npm", "node --test /opt/npm/report.js", "npmx", "bash -c npm"])(
    "%s is not npm",
    async (command) => {
      const table = terminal().set(10, process_(1, command, 10));
      const { later } = scene(table);
      expect(await later()).toBeUndefined();
      table.delete(10);
      adopt(table, SELF, 1);
      expect(await later()).toBeUndefined();
    },
  );

  it.each([0, 1])("a service, or a container's own command, below process %i: it trades on", async (parent) => {
    const table = new Map([
      [1, process_(0, "/sbin/init", 1)],
      [SELF, process_(parent, "node start.js run", SELF)],
    ]);
    expect(await scene(table).later()).toBeUndefined();
  });
});

describe("processes cannot be read", () => {
  it("npm's variables are there: the parent is watched", async () => {
    const table = npx();
    const { later } = scene(table, { isHidden: true });
    expect(await later()).toBeUndefined();
    adopt(table, SELF, 1);
    expect(await later()).toBe(GONE);
  });

  it("the system shows no process any longer, not even this one: only another parent counts", async () => {
    const table = npx();
    const { later, machine } = scene(table);
    expect(await later()).toBeUndefined();
    machine.isEmpty = true;
    expect(await later()).toBeUndefined();
    adopt(table, SELF, 1);
    expect(await later()).toBe(GONE);
  });

  it("they are not: nothing is watched", async () => {
    const table = npx();
    const { later } = scene(table, { isHidden: true, hasNpmVariables: false });
    adopt(table, SELF, 1);
    expect(await later()).toBeUndefined();
  });

  it("npm is another user's, and hidden: the rest is watched", async () => {
    const table = npx();
    table.delete(20);
    const { later } = scene(table);
    expect(await later()).toBeUndefined();
    table.delete(30);
    expect(await later()).toBe(GONE);
  });
});

// Other systems have no /proc, and may hide the session of a process from ps.
describe.skipIf(process.platform !== "linux").each([
  ["/proc", lookInProc],
  ["ps", lookByPs],
] as const)("what %s tells", (_, look) => {
  it("parent, program and moment of the start; nothing of a process that has ended", async () => {
    const child = spawn("sh", ["-c", "read wait", ") Z odd name"], { stdio: "pipe", detached: true });
    const id = child.pid ?? 0;
    const facts = (await look([process.pid, id])).get(id);
    expect(facts).toMatchObject({ parent: process.pid, session: id, words: expect.arrayContaining(["sh", "-c"]) });
    expect((await look([id])).get(id)?.startedAt).toBe(facts?.startedAt);
    const ended = once(child, "close");
    child.stdin.end();
    await ended;
    expect((await look([process.pid, id])).has(id)).toBe(false);
    expect((await look([id])).size).toBe(0);
  });

  it("a process that has ended unasked is no process", async () => {
    // The shell becomes a program that never asks after the child, which ends with its input.
    const command = "{ read wait; } <&3 & echo $!; exec sleep 60";
    const parent = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "ignore", "pipe"] });
    const [line] = (await once(parent.stdout as Readable, "data")) as [Buffer];
    const id = Number(line);
    await until("the other program", async () => {
      const found = await look([parent.pid ?? 0, id]);
      return found.has(id) && found.get(parent.pid ?? 0)?.words[0] === "sleep";
    });
    (parent.stdio[3] as Writable).end();
    await until("the child's end", async () => !(await look([process.pid, id])).has(id));
    expect(() => process.kill(id, 0)).not.toThrow();
    parent.kill("SIGKILL");
  });
});
