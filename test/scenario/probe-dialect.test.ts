// What `quoin probe` learns of an exchange that words things otherwise than the devnet, by a proxy that rewords it, and the configuration that it
// writes. Whatever is said and whatever fails, no order of it stays unsaid.

import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { quoin, quoinDone } from "../support/quoin.ts";
import { type RewritingProxy, startRewritingProxy } from "../support/rewriting-proxy.ts";
import { type StreamProxy, startStreamProxy } from "../support/stream-proxy.ts";
import { until } from "../support/until.ts";
import { type ApartScene, endScenes, openOrdersOf, startApartScene, startDaemon, streamUrlOf } from "./daemon.ts";

type Item = Readonly<Record<string, unknown>>;

let scene: ApartScene;
let http: RewritingProxy;
let stream: StreamProxy;
let config: string;
let text: string;

beforeAll(async () => {
  scene = await startApartScene({
    devnet: "throttle: { requestsPerSecond: 0, actionBudget: 100000 }\n",
  });
  http = await startRewritingProxy(scene.validatorUrl);
  stream = await startStreamProxy(streamUrlOf(scene));
  config = join(scene.folder, "reworded.yaml");
  text = readFileSync(scene.botConfig, "utf8").replace(
    `validatorUrl: "${scene.validatorUrl}"`,
    `validatorUrl: "${http.url}", wsUrl: "${stream.wsUrl}"`,
  );
  writeFileSync(config, text);
});
afterEach(async () => {
  http.rewrite = null;
  http.status = null;
  http.turnAway = null;
  http.swallows = () => false;
  stream.swallow(() => false);
  writeFileSync(config, text);
  await quoinDone(["cancel-all", "--config", scene.botConfig]);
});
afterAll(async () => {
  await endScenes();
  await http?.close();
  await stream?.close();
});

type Row = { readonly assumption: string; readonly holds: boolean | null; readonly seen: string };

async function probe(...more: readonly string[]) {
  const { code, stdout, stderr } = await quoinDone(["probe", "--config", config, "--json", ...more]);
  const lines = stdout.trim().split("\n");
  const { dialect, notLearned, written } = JSON.parse(lines.pop() ?? "");
  const rows = lines.map((line) => JSON.parse(line) as Row);
  const seen = (assumption: RegExp): string => {
    const row = rows.find((each) => assumption.test(each.assumption));
    return `${row?.holds} ${row?.seen}`;
  };
  return { code, stderr, dialect, notLearned, written, wrong: rows.filter(({ holds }) => holds === false), seen };
}

/** The answers to transactions as `reword` has their events. */
const events =
  (reword: (event: Item) => readonly Item[]): RewritingProxy["rewrite"] =>
  (path, json) =>
    path.endsWith("/tx") && json.status === "success"
      ? { ...json, events: (json.events as readonly Item[]).flatMap(reword) }
      : undefined;

describe("how an order is named", () => {
  it("by an event of another name, which is told", async () => {
    http.rewrite = events(({ type, order_id: id, ...of }) =>
      type === "OrderPlaced" ? [{ type: "OrderAccepted", id, side: "Long" }] : [{ type, order_id: id, ...of }],
    );
    const { code, seen, wrong } = await probe();
    expect(seen(/names an order/)).toMatch(
      /^true order \d+ by an event, OrderAccepted; event type OrderAccepted is not known$/,
    );
    expect([code, wrong]).toEqual([0, []]);
  });

  it("by a frame, where no event does", async () => {
    http.rewrite = events(() => []);
    const { code, seen, dialect } = await probe();
    expect(seen(/names an order/)).toMatch(/^true order \d+ by a frame, orderPlaced; no event$/);
    expect(seen(/modify of its price/)).toMatch(
      /^true no event says so, frame orderModified, listed with its new price/,
    );
    expect(seen(/tell of its cancel/)).toMatch(/^true by a frame, orderCanceled; no event$/);
    expect(dialect).toEqual({ modifyPrice: "total", cancel: "event", emptyList: "list", budget: "known" });
    expect(code).toBe(0);
  });

  it("by the list alone, where no frame does; and a cancel by both lists", async () => {
    http.rewrite = events(() => []);
    stream.swallow((frame) => /^\{"type":"order(?:Placed|Modified|Canceled)"/.test(frame));
    const { code, seen, dialect } = await probe();
    expect(seen(/names an order/)).toMatch(/^true order \d+ by the list of open orders; no event, no frame$/);
    expect(seen(/modify of its price/)).toMatch(/^true no event says so, no frame says so, listed with its new price/);
    expect(dialect).toEqual({ modifyPrice: "total", cancel: "list", emptyList: "list", budget: "known" });
    expect([code, await openOrdersOf(scene.validatorUrl)]).toEqual([0, []]);
  });
});

describe("what a modify is", () => {
  it("told as a cancel and a place of the same order", async () => {
    http.rewrite = events(({ type, ...of }) => {
      if (type !== "OrderModified") return [{ type, ...of }];
      const { account_id, market_id, order_id } = of;
      const canceled = { type: "OrderCanceled", account_id, market_id, order_id, reason: "Modified" };
      return [canceled, { type: "OrderPlaced", ...of }];
    });
    const { seen, dialect, notLearned } = await probe();
    expect(seen(/modify of its price/)).toMatch(/^true event OrderPlaced, listed with its new price/);
    expect(dialect.modifyPrice).toBe("total");
    expect(notLearned).toEqual({ modifySize: "needs a partial fill", rowSize: "needs a partial fill" });
  });

  it("nothing, where it is answered and done by nobody", async () => {
    http.swallows = (body) => body.includes("ModifyOrder");
    const { code, seen, dialect } = await probe();
    expect(seen(/modify of its price/)).toBe(
      "null executed; no event says so, no frame says so, the account does not list it with its new price",
    );
    expect(dialect).toMatchObject({ modifySize: "none", cancel: "event" });
    expect(dialect).not.toHaveProperty("modifyPrice");
    expect(code).toBe(0);
  });

  it("not learned, where it is refused", async () => {
    http.turnAway = (body) => (body.includes("ModifyOrder") ? "modifies are closed" : undefined);
    const { code, seen, dialect, notLearned } = await probe();
    expect(seen(/modify of its price/)).toBe("false rejected: modifies are closed");
    expect(dialect).toEqual({ cancel: "event", emptyList: "list", budget: "known" });
    expect(Object.keys(notLearned)).toEqual(["modifyPrice", "modifySize", "rowSize"]);
    expect(code).toBe(1);
  });
});

describe("an empty list", () => {
  it("is HTTP 404 where the account says that there is none; nothing of the probe stays", async () => {
    http.status = (path, json) => (/\/(orders|positions)$/.test(path) && `${json}` === "" ? 404 : undefined);
    const { code, seen, dialect } = await probe();
    expect(seen(/empty list/)).toBe(
      "true GET /v1/accounts/12/orders answers HTTP 404; GET /v1/accounts/12/positions answers HTTP 404",
    );
    expect(dialect.emptyList).toBe("404");
    expect([code, await openOrdersOf(scene.validatorUrl)]).toEqual([0, []]);
  });

  it("is not learned where the two lists differ", async () => {
    http.status = (path) => (path.endsWith("/positions") ? 404 : undefined);
    const { dialect, notLearned } = await probe();
    expect(dialect).not.toHaveProperty("emptyList");
    expect(notLearned.emptyList).toMatch(/orders answers with a list of 0; GET .*positions answers HTTP 404$/);
  });
});

it("numbers that our transactions do not change are no budget", async () => {
  http.rewrite = (path) => (path.endsWith("/rate-limit") ? { used: 3, limit: 1200, remaining: 1197 } : undefined);
  const { dialect, seen } = await probe();
  expect(seen(/counts our own/)).toBe("null 3 used before, 3 used after 4 transactions");
  expect(dialect.budget).toBe("none");
});

describe("what may still rest", () => {
  it("is listed, with exit 3, where no cancel is let through", async () => {
    http.turnAway = (body) => (/Cancel/.test(body) ? "closed" : undefined);
    const { code, stderr } = await probe();
    expect(stderr).toMatch(/^orders may still rest:\n {2}account 12 market 1 order \d+: buy 0\.1 at 1\d\d\.\d+\n$/);
    expect(await openOrdersOf(scene.validatorUrl)).toHaveLength(1);
    expect(code).toBe(3);
  });

  it("is nothing after a signal: what was placed is canceled, and no more is sent", async () => {
    http.rewrite = events(() => []);
    const running = quoin(["probe", "--config", config, "--json", "--write"]);
    await until("an order", async () => (await openOrdersOf(scene.validatorUrl)).length > 0);
    expect(await running.end("SIGINT")).toBe(1);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    expect(running.stdout()).toContain("the probe was stopped");
    expect(readFileSync(config, "utf8")).toBe(text);
  });
});

describe("--write", () => {
  const INTRO = "# Mine\n\n";

  it("puts it into the file, and leaves the rest as it is written, its mode too", async () => {
    http.swallows = (body) => body.includes("ModifyOrder");
    writeFileSync(config, `${INTRO}${text}# The end`);
    chmodSync(config, 0o646);
    const first = await probe("--write");
    expect([first.code, first.written]).toEqual([0, true]);
    const words = "modifySize: none, cancel: event, emptyList: list, budget: known";
    const written = `${INTRO}${text}# The end`.replace(/readLagMaxMs: 250/, `$&, dialect: { ${words} }`);
    expect(readFileSync(config, "utf8")).toBe(written);
    expect(statSync(config).mode & 0o777).toBe(0o646);
    expect((await quoinDone(["check", "--config", config])).code).toBe(0);
    http.swallows = () => false;
    const second = await probe("--write");
    expect(second.stderr).toBe(`quoin: ${config} has it as venue.dialect; the daemon uses it from its next start\n`);
    expect(readFileSync(config, "utf8")).toBe(
      written.replace(
        "modifySize: none, cancel: event, emptyList: list, budget: known",
        "cancel: event, emptyList: list, budget: known, modifyPrice: total",
      ),
    );
  });

  it("prints it for people, as it would be written", async () => {
    const { stdout } = await quoinDone(["probe", "--config", config]);
    expect(stdout).toMatch(
      /\nvenue:\n {2}dialect:\n {4}modifyPrice: total\n {4}cancel: event\n {4}emptyList: list\n {4}budget: known\n {4}# modifySize: not learned: needs a partial fill\n {4}# rowSize: not learned: needs a partial fill\n$/,
    );
  });

  it("is refused while a daemon runs on it: nothing is sent and nothing written", async () => {
    const daemon = await startDaemon(scene);
    try {
      const { code, stderr, stdout } = await quoinDone(["probe", "--config", config, "--write"]);
      expect(stderr).toMatch(
        /reworded\.yaml is not written while a daemon runs on it: another process holds .*; nothing was sent\n$/,
      );
      expect([code, stdout]).toEqual([1, ""]);
      expect(readFileSync(config, "utf8")).toBe(text);
    } finally {
      await daemon.process.end();
    }
  });
});
