// A key that is approved on another account of the owner: refused at the start, found within the hour while it runs.

import { beforeEach, describe, expect, test } from "vitest";
import { checkOtherAccounts, KeyWatch } from "../../../../../src/bot/service/lifecycle/other-accounts.ts";
import type { StartError } from "../../../../../src/bot/service/lifecycle/start-error.ts";
import type { Account, Agent } from "../../../../../src/domain/account.ts";
import { type AccountId, accountId } from "../../../../../src/domain/units.ts";
import { microtasks } from "../../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";
import { AGENT, account, ME } from "../../scene.ts";

const SUB = accountId(13n);
const VAULT = accountId(14n);
const NOW_SEC = 1_800_000_000;
const HOUR_MS = 3_600_000;

/** The exchange: agents by account of the owner; null: the account cannot be read. */
let listed: Map<AccountId, readonly Agent[] | null>;
let asked: string[];
let isListDown: boolean;
beforeEach(() => {
  listed = new Map([[ME, [agent()]]]);
  asked = [];
  isListDown = false;
});

const agent = (of: Partial<Agent> = {}): Agent => ({ pubkey: AGENT, name: "bot", expiresAtSec: null, ...of });
const reads = {
  async ownedAccounts(owner: string): Promise<readonly AccountId[]> {
    asked.push(`owner ${owner.slice(0, 2)}`);
    if (isListDown) throw new Error("no such owner");
    return [...listed.keys()];
  },
  async account(id: AccountId): Promise<Account> {
    asked.push(`account ${id}`);
    const agents = listed.get(id);
    if (agents == null) throw new Error("HTTP 404");
    return account({ accountId: id, agents: [...agents] });
  },
};
const check = () => checkOtherAccounts(account(), AGENT, NOW_SEC, reads);

describe("at the start", () => {
  test("a key that no other account lists passes, and its own account is not asked again", async () => {
    listed.set(SUB, [agent({ pubkey: "cc".repeat(32) })]);
    expect(await check()).toEqual([]);
    expect(asked).toEqual(["owner bb", "account 13"]);
  });

  test("one that another lists is a wrong configuration, which names the account", async () => {
    listed.set(SUB, [agent({ expiresAtSec: NOW_SEC + 1 })]).set(VAULT, [agent()]);
    const error: StartError = await check().then(
      () => expect.fail("it passed"),
      (thrown) => thrown,
    );
    expect(error.code).toBe("configuration");
    expect(error.message).toMatch(
      /account 12 is approved on account 13, 14 too, .*CancelAllOrders.*; nothing was sent$/,
    );
  });

  test("one that has expired there does not act there", async () => {
    listed.set(SUB, [agent({ expiresAtSec: NOW_SEC })]);
    expect(await check()).toEqual([]);
  });

  test("what cannot be read is said, and hides no approval elsewhere", async () => {
    listed.set(SUB, null);
    expect(await check()).toEqual(["account 13 cannot be read: HTTP 404"]);
    listed.set(VAULT, [agent()]);
    await expect(check()).rejects.toThrow(/approved on account 14 too/);
    isListDown = true;
    expect(await check()).toEqual(["the list of the owner's accounts cannot be read: no such owner"]);
  });
});

describe("while it runs", () => {
  function createWatch(isPaper = false) {
    const clock = createVirtualClock({ startMs: NOW_SEC * 1000, settle: microtasks });
    const lines: string[] = [];
    const log = (level: string) => (_: object, text: string) => lines.push(`${level} ${text}`);
    const holder = { accountId: ME, agentPubkey: AGENT, isPaper, read: { value: account() } };
    const modules = { accounts: new Map([[ME, holder]]), reads, clock, chainTimeMs: () => null };
    const watch = new KeyWatch({
      ...modules,
      log: { info: log("info"), warn: log("warn"), error: log("error") } as never,
    });
    const wait = async (ms: number) => {
      await clock.advance(ms);
      watch.look();
      await clock.advance(1);
    };
    return { watch, wait, lines, holder };
  }

  test("an approval elsewhere counts within the hour, and no longer once it is gone", async () => {
    const { watch, wait, lines } = createWatch();
    watch.started(ME, AGENT, []);
    listed.set(SUB, [agent()]);
    await wait(HOUR_MS - 1000);
    expect([asked, watch.elsewhere.has(ME)]).toEqual([[], false]);
    await wait(1000);
    expect(watch.elsewhere.has(ME)).toBe(true);
    expect(lines).toEqual([
      expect.stringMatching(/^error .*account 13 too.* canceled one by one, without CancelAllOrders$/),
    ]);
    const { elsewhere } = watch;
    await wait(HOUR_MS);
    expect(lines).toHaveLength(1);
    expect(watch.elsewhere, "the same set while it says the same").toBe(elsewhere);
    listed.set(SUB, []);
    await wait(HOUR_MS);
    expect(watch.elsewhere.has(ME)).toBe(false);
    expect(lines[1]).toMatch(/^info .*no longer approved on another account$/);
  });

  test("what cannot be read takes no approval away, and is said once", async () => {
    const { watch, wait, lines } = createWatch();
    listed.set(SUB, [agent()]);
    await wait(HOUR_MS);
    isListDown = true;
    await wait(HOUR_MS);
    await wait(HOUR_MS);
    expect(watch.elsewhere.has(ME)).toBe(true);
    expect(lines.filter((line) => line.startsWith("warn"))).toEqual([
      expect.stringMatching(/could not be checked: the list of the owner's accounts cannot be read/),
    ]);
  });

  test("another key is looked at at once; an account on paper never is", async () => {
    const { watch, wait, holder } = createWatch();
    watch.started(ME, AGENT, []);
    listed.set(SUB, [agent({ pubkey: "dd".repeat(32) })]);
    holder.agentPubkey = "dd".repeat(32);
    await wait(1000);
    expect(watch.elsewhere.has(ME)).toBe(true);
    holder.agentPubkey = "ee".repeat(32);
    watch.look();
    expect(watch.elsewhere.has(ME), "nothing is known of a third yet").toBe(false);
    await wait(1);
    asked = [];
    await createWatch(true).wait(HOUR_MS);
    expect(asked).toEqual([]);
  });
});
