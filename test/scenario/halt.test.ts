// Halt, reduce and resume, from outside: by command, by HTTP and by signal, with a daemon and without one, and over restarts.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hurriedClock } from "../support/hurried-clock.ts";
import { operate } from "../support/operate.ts";
import { quoin, quoinDone, type Running, type RunningProcess } from "../support/quoin.ts";
import { type RewritingProxy, startRewritingProxy } from "../support/rewriting-proxy.ts";
import { until } from "../support/until.ts";
import { counterpartyKey, counterpartyRow, protect, take } from "./counterparty.ts";
import {
  endScenes,
  metricsOf,
  openOrdersOf,
  type Scene,
  startDaemon,
  startDaemonProcess,
  startScene,
} from "./daemon.ts";
import { configBeside, NOBODY, operator, post, resting, stateOf, statusOf } from "./operator.ts";

let scene: Scene;
let daemon: Running | RunningProcess;
let url: string;
/** Of a daemon beside its owner. */
let clock: ReturnType<typeof hurriedClock>;

const begin = async () => {
  scene = await startScene();
  ({ process: daemon, url } = await startDaemon(scene));
  await resting(scene, 4);
};
/** Somebody else trades, and may place orders on the daemon's account too, as its owner does. */
const beginBesideOwner = async () => {
  scene = await startScene({
    accounts: counterpartyRow,
  });
  const body = { pubkey: counterpartyKey, name: "by hand", expiresAt: 4_102_444_800 };
  await operate(scene, "POST", "/accounts/12/agents", body);
  clock = hurriedClock(5);
  ({ process: daemon, url } = await startDaemon(scene, { clock }));
  await resting(scene, 4);
};

const why = ["--reason", "a test"];
const latched = async (at: string) =>
  (await metricsOf(at)).get('quoin_latch_active{account="12",market="",kind="operator"}');
/** Orders of the account that only reduce: the bot places none. */
const stopsOf = async ({ validatorUrl }: Scene) =>
  (await openOrdersOf(validatorUrl)).filter(({ reduceOnly }) => reduceOnly).length;
const restart = async () => {
  ({ process: daemon, url } = await startDaemon(scene));
};
/** Ends the daemon and starts it as a process, which may be killed. */
const restartApart = async () => {
  expect(await daemon.end()).toBe(0);
  const { process: apart, url: at } = await startDaemonProcess(scene);
  [daemon, url] = [apart, at];
  return apart;
};

describe("with a daemon", () => {
  beforeAll(begin);
  afterAll(endScenes);

  it("halt clears the account, stays over a restart, and resume quotes again", async () => {
    const halted = await operator("halt", configBeside(scene, url), ...why);
    expect([halted.code, halted.stdout]).toEqual([0, "account 12: halted; held by operator: a test\n"]);
    await resting(scene, 0);
    expect(await stateOf(url)).toBe("halted");
    const again = await operator("halt", configBeside(scene, url), "--reason", "for another reason");
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^account 12: stays halted since [\d-]+T\S+Z; held by operator: a test; the new reason is kept in the ledger\n$/,
      ),
    ]);
    await daemon.seen("the new reason", (text) => text.includes("account 12: halt asked again: for another reason"));
    expect(await daemon.end()).toBe(0);
    await restart();
    expect(await latched(url)).toBe(1);
    await until("turns", async () => (await stateOf(url)) === "halted");
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    const lifted = await operator("resume", configBeside(scene, url), ...why);
    expect([lifted.code, lifted.stdout]).toEqual([0, "account 12: resumed; no latch holds it\n"]);
    await resting(scene, 4);
    expect(await latched(url)).toBe(0);
  });

  it("SIGUSR2 halts, through the starter too, and a killed daemon remembers it", async () => {
    const killed = await restartApart();
    await resting(scene, 4);
    killed.signal("SIGUSR2");
    await resting(scene, 0);
    expect((await statusOf(url)).accounts[0]?.latches).toEqual(["operator: SIGUSR2"]);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    await killed.end("SIGKILL");
    await restart();
    expect((await statusOf(url)).accounts[0]?.latches).toEqual(["operator: SIGUSR2"]);
    expect((await post(url, "/resume", { reason: "on" })).status).toBe(200);
    await resting(scene, 4);
  });

  it("reduce pulls what could open a position and says so", async () => {
    const { code, stdout } = await operator("reduce", configBeside(scene, url), ...why);
    expect([code, stdout]).toEqual([0, "account 12: reducing only; held by operator, reducing: a test\n"]);
    await resting(scene, 0);
    expect(await stateOf(url)).toBe("reducing");
    expect((await post(url, "/resume", { reason: "on", latch: "operator" })).status).toBe(200);
    await resting(scene, 4);
  });

  it("a market alone: another one would go on", async () => {
    const { code } = await operator("halt", configBeside(scene, url), ...why, "--market", "1");
    expect(code).toBe(0);
    await resting(scene, 0);
    expect((await statusOf(url)).accounts[0]?.latches).toEqual(["operator (market 1): a test"]);
    expect((await metricsOf(url)).get('quoin_latch_active{account="12",market="1",kind="operator"}')).toBe(1);
    expect(await latched(url), "the account's own").toBe(0);
    const lifted = await operator("resume", configBeside(scene, url), ...why, "--market", "1", "--json");
    expect(JSON.parse(lifted.stdout)).toEqual({
      done: "resume",
      by: "daemon",
      accounts: [{ account: "12", holds: [] }],
    });
    await resting(scene, 4);
  });

  it("a resume of a market says that it lifts nothing of its account's halt, which needs no reason, and what does", async () => {
    const config = configBeside(scene, url);
    const halted = await operator("halt", config);
    expect([halted.code, halted.stdout]).toEqual([0, "account 12: halted; held by operator: no reason given\n"]);
    const vain = await operator("resume", config, ...why, "--account", "12", "--market", "1");
    const still =
      "lifted nothing; still held by operator: no reason given; the whole account is held: npx quoin resume --account 12";
    expect([vain.code, vain.stdout]).toEqual([1, expect.stringContaining(`market 1 of account 12: ${still}`)]);
    expect(await stateOf(url)).toBe("halted");
    const other = await operator("resume", config, ...why, "--latch", "loss");
    expect([other.code, other.stdout]).toEqual([
      1,
      expect.stringMatching(/^account 12: lifted nothing;.*without --latch/),
    ]);
    const lifted = await operator("resume", config, ...why, "--account", "12");
    expect([lifted.code, lifted.stdout]).toEqual([0, "account 12: resumed; no latch holds it\n"]);
    const idle = await operator("resume", config, ...why, "--market", "1");
    expect([idle.code, idle.stdout]).toEqual([0, "market 1 of account 12: nothing was halted\n"]);
    await resting(scene, 4);
  });
});

describe("what is asked wrongly changes nothing", () => {
  beforeAll(begin);
  afterAll(endScenes);

  it.each<readonly [unknown, number, RegExp]>([
    ["not JSON", 400, /must be \{"reason":"why"\}/],
    [{ reason: " " }, 400, /must be \{"reason":"why"\}/],
    [{ reason: "x", acount: "12" }, 400, /unknown key acount; allowed: reason, chainId, account, market, latch/],
    [{ reason: "x", account: "99" }, 404, /account 99 is not one of this daemon's/],
    [{ reason: "x", account: "-1" }, 400, /account must be an account id/],
    [{ reason: "x", market: 7 }, 400, /market 7 is not quoted here/],
    [{ reason: "x", latch: "operator" }, 400, /latch is for resume alone/],
    [{ reason: "x", chainId: "venue-v4:mainnet:chain-1" }, 404, /this daemon trades on venue-v4:devnet:chain-2/],
  ])("POST /halt %j", async (body, status, error) => {
    const answer = await post(url, "/halt", body);
    expect(answer.status).toBe(status);
    expect(((await answer.json()) as { error: string }).error).toMatch(error);
    expect(await stateOf(url)).toBe("active");
  });

  it("a missing reason, an account that is not configured, or an unknown latch ends with 2", async () => {
    const config = configBeside(scene, url);
    expect((await operator("reduce", config)).code).toBe(2);
    expect((await operator("resume", config)).code).toBe(2);
    expect((await operator("halt", config, "--reason", " ")).code).toBe(2);
    expect((await operator("halt", config, ...why, "--account", "99")).code).toBe(2);
    expect((await operator("halt", config, ...why, "--market", "9")).code).toBe(2);
    expect((await operator("resume", config, ...why, "--latch", "none")).code).toBe(2);
    expect(await stateOf(url)).toBe("active");
  });

  it("a daemon of another exchange at the same port is left alone", async () => {
    const other = configBeside(scene, url, (yaml) =>
      yaml.replace("devnet:chain-2", "devnet:chain-9").replace("var/quoin.sqlite", "var/other.sqlite"),
    );
    const { code, stdout } = await operator("halt", other, ...why);
    expect([code, stdout]).toEqual([0, expect.stringContaining("written in the ledger for the next start")]);
    expect(await stateOf(url)).toBe("active");
  });

  it("a daemon that cannot be asked keeps its ledger to itself", async () => {
    const { code, stderr } = await operator("resume", configBeside(scene, NOBODY), ...why);
    expect(code).toBe(1);
    expect(stderr).toMatch(/another process holds .*quoin\.sqlite and no daemon .* answers at http:\/\/127\.0\.0\.1:9/);
  });
});

describe("an owner's protective stop", () => {
  beforeAll(beginBesideOwner);
  afterAll(endScenes);

  const says = (event: string, times: number) =>
    until(`${times} times ${event}`, () => daemon.stdout().split(`"event":"${event}"`).length > times);

  it("halts the daemon, which cancels its own orders alone, has that confirmed, and quotes beside the stop when resumed", async () => {
    await take(scene.validatorUrl, { side: "sell", contracts: 0.1 });
    const { status } = await protect(scene.validatorUrl, { side: "sell", contracts: 0.1, usd: 150, account: 12n });
    expect(status).toBe("success");
    await until("the latch", async () => (await stateOf(url)) === "halted");
    await resting(scene, 1);
    await says("massCancel.confirmed", 1);
    await says("massCancel.kept", 1);
    expect((await post(url, "/resume", { reason: "it is the owner's" })).status).toBe(200);
    await resting(scene, 5);
  });

  it("outlives an operator's halt, a stop, a restart and a kill; cancel-all takes it", async () => {
    expect((await post(url, "/halt", { reason: "a test" })).status).toBe(200);
    await resting(scene, 1);
    await says("massCancel.confirmed", 2);
    expect(await daemon.end()).toBe(0);
    await resting(scene, 1);
    const killed = await startDaemonProcess(scene);
    expect((await post(killed.url, "/resume", { reason: "on" })).status).toBe(200);
    await resting(scene, 5);
    await killed.process.end("SIGKILL");
    await restart();
    await resting(scene, 5);
    expect((await statusOf(url)).accounts[0]?.latches).toEqual([]);
    expect((await operator("cancel-all", configBeside(scene, url))).code).toBe(0);
    await resting(scene, 0);
  });
});

describe("an owner's protective stop that comes while the daemon's own orders are unanswered", () => {
  beforeAll(beginBesideOwner);
  afterAll(endScenes);

  it("is not taken for one of them by the next process", async () => {
    await take(scene.validatorUrl, { side: "sell", contracts: 0.1 });
    expect((await post(url, "/halt", { reason: "a test" })).status).toBe(200);
    await resting(scene, 0);
    const unanswered = { kind: "halfOpen", executes: true, action: "PlaceOrder", count: 4 };
    expect((await operate(scene, "POST", "/faults", unanswered)).status).toBe(200);
    expect((await post(url, "/resume", { reason: "on" })).status).toBe(200);
    await resting(scene, 4);
    await protect(scene.validatorUrl, { side: "sell", contracts: 0.1, usd: 150, account: 12n });
    await until("the latch", async () => (await stateOf(url)) === "halted");
    // Nothing is fenced where it rests, so that nobody can tell yet which orders are ours.
    clock.hurry();
    expect(await daemon.end()).toBe(3);
    expect(daemon.stdout()).toContain("4 transactions are unresolved");
    expect(await stopsOf(scene)).toBe(1);
    await restart();
    await until("its stop", () => daemon.stdout().includes('"event":"start.foundOrders"'));
    expect([await stateOf(url), await stopsOf(scene)]).toEqual(["halted", 1]);
  });
});

describe("with a daemon whose answer says that its disk has not taken the change", () => {
  let proxy: RewritingProxy;
  beforeAll(async () => {
    await begin();
    proxy = await startRewritingProxy(url);
    proxy.rewrite = (path, { accounts, ...rest }) =>
      path === "/halt"
        ? { ...rest, accounts: (accounts as object[]).map((account) => ({ ...account, isWritten: false })) }
        : undefined;
  });
  afterAll(async () => {
    await proxy.close();
    await endScenes();
  });

  it("halt exits 1, and says that a restart may not know of it and what to do", async () => {
    const config = configBeside(scene, proxy.url);
    const { code, stdout, stderr } = await operator("halt", config, ...why);
    expect([code, stdout]).toEqual([1, "account 12: halted; held by operator: a test\n"]);
    expect(stderr).toMatch(
      /a restart may not know of it; stop the daemon, and run this command once more while no daemon runs/,
    );
    await resting(scene, 0);
  });
});

describe("without a daemon", () => {
  beforeAll(begin);
  afterAll(endScenes);

  it("halt is in the ledger for the next start, and so is resume", async () => {
    expect(await daemon.end()).toBe(0);
    const config = configBeside(scene, NOBODY);
    const halted = await operator("halt", config, ...why);
    expect(halted.code).toBe(0);
    expect(halted.stdout).toMatch(/account 12: halted; held by operator: a test\nno daemon answers/);
    expect((await operator("status", config)).stdout).toMatch(
      /account 12 is held by operator: a test; npx quoin resume --reason TEXT --config \S+ lifts it/,
    );
    const milder = await operator("reduce", config, ...why);
    expect(milder.stdout).toMatch(/account 12: stays halted since [\d-]+T\S+Z; held by operator: a test\n/);
    const second = await operator("halt", config, "--reason", "once more");
    expect(second.stdout).toMatch(
      /stays halted since \S+Z; held by operator: a test; the new reason is kept in the ledger\n/,
    );
    const { stdout: kept } = await quoinDone(["ledger", "export", "--config", config, "--table", "latches"]);
    expect(kept).toContain("once more");
    await restart();
    expect(await latched(url)).toBe(1);
    expect(await daemon.end()).toBe(0);
    const lifted = await operator("resume", config, "--reason", "on", "--json");
    expect(JSON.parse(lifted.stdout)).toEqual({
      done: "resume",
      by: "ledger",
      accounts: [{ account: "12", holds: [] }],
    });
    const again = await operator("resume", config, "--reason", "on");
    expect(again.stdout).toMatch(/^account 12: nothing was halted\n/);
    await restart();
    await resting(scene, 4);
  });

  it("a halt while it starts is kept for it", async () => {
    expect(await daemon.end()).toBe(0);
    const process = quoin(["run", "--config", scene.botConfig]);
    const at = await process.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
    process.signal("SIGUSR2");
    await until("the halt", async () => (await stateOf(at)) === "halted");
    await resting(scene, 0);
    expect(await process.end(), "a stop while it cancels waits for no deadline").toBe(0);
  });
});
