// What docs/first-hour.md and docs/going-live.md tell a newcomer to type works as it stands, from the first line to the last, on a devnet.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { endAll, PROJECT } from "../support/quoin.ts";
import { type Follower, follow } from "./guide.ts";

afterEach(endAll);

/** Of the devnet that the guide started. */
const devnetUrls = (follower: Follower): { readonly validatorUrl: string; readonly controlUrl: string } =>
  JSON.parse(/^\{"event":"devnet.ready".*$/m.exec(follower.printed())?.[0] ?? "{}");
/** Printed last. */
const publicKey = (follower: Follower): string =>
  [...follower.printed().matchAll(/^ *([0-9a-f]{64})$/gm)].at(-1)?.[1] ?? "no key was printed";
/** With ports that nothing else listens on, and seconds in place of minutes. */
const onDevnet = (line: string, follower: Follower): string =>
  line
    .replace("npm start", "npx quoin run --config config/demo.yaml")
    .replace("--days 0.05", "--days 0.005 --workers 1")
    .replace("--data-dir var/chain", "$& --port 0 --rest-port 0 --control-port 0")
    .replace(/http:\/\/127.0.0.1:18080|https:\/\/validator.example.com/, () => devnetUrls(follower).validatorUrl)
    .replace("http://127.0.0.1:18082", () => devnetUrls(follower).controlUrl)
    .replace("PUBLIC_KEY", () => publicKey(follower));
/** The devnet's reads show the state of now. */
const withoutLag = (text: string): string => text.replace("validatorUrl:", "readLagMaxMs: 250\n  validatorUrl:");
const logged = async (what: string, { daemon }: Follower): Promise<void> => {
  await daemon().seen(what, (stdout) => stdout.includes(what));
};
const yamlOf = (guide: string): string =>
  /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(PROJECT, guide), "utf8"))?.[1] ?? "";

test("docs/first-hour.md, from a strategy of one's own to a flat account", async () => {
  const guide = "docs/first-hour.md";
  const port = await freePort();
  const setPort = (text: string): string => text.replace(/port: 9464/, `port: ${port}`);
  const { printed } = await follow(guide, {
    typed: (line, follower) => (/^(git clone|cd quoin|npm ci)/.test(line) ? undefined : onDevnet(line, follower)),
    before: {
      "npm start": ({ edit }) => edit("config/demo.yaml", setPort),
      "npx quoin strategy new": async (follower) => {
        await logged("resync.done", follower);
        await follower.stop();
      },
      "npx quoin run --config my/own.yaml": ({ edit }) => edit("my/own.yaml", setPort),
      "npx quoin devnet": ({ stop }) => stop(),
      "npx quoin check --config my/live.yaml": ({ edit }) =>
        edit("my/live.yaml", (text) =>
          setPort(withoutLag(text)).replace(/ +strategy: .*\n(?: +#.*\n)? +params: .*\n/, yamlOf(guide)),
        ),
      "npx quoin status": (follower) => logged('"event":"fill"', follower),
      "npx quoin halt": async (follower) => {
        const whole = follower.text("my/own.ts");
        follower.edit("my/own.ts", (text) => text.replace('noQuotes("the position is unknown")', "noQuotes("));
        await logged("the configuration is wrong, the running one stays", follower);
        follower.edit("my/own.ts", () => whole.replace("given.skewBps", "2 * given.skewBps"));
        await logged("the strategy's code; resting orders that fit stay", follower);
        follower.edit("my/live.yaml", (text) =>
          text.replace("maxInventory: 5 }", "maxInventory: 5, halfSpreadBps: 6 }"),
        );
        await logged("halfSpreadBps 3 -> 6", follower);
      },
      "npx quoin flatten": ({ stop }) => stop(),
    },
  });
  expect(printed()).toContain("wrote my/own.ts, my/own.test.ts, my/own.yaml and my/tsconfig.json");
  expect(printed()).toContain("my/own.yaml: valid; a bot of 1 account and 1 market");
  expect(printed()).toContain('{"status":"success"}');
  expect(printed()).toMatch(/^OK +liveOrder/m);
  expect(printed()).toContain("account 12: halted; held by operator: looking around");
  expect(printed()).toContain("flat; the accounts stay halted");
  expect(printed()).toMatch(/^account 12: OK: /m);
});

test("docs/going-live.md, from init to a raised limit", async () => {
  const guide = "docs/going-live.md";
  const port = await freePort();
  const keys: string[] = [];
  const edits = [
    // The canary, at the devnet.
    (follower: Follower) =>
      follower.edit("live/quoin.yaml", (before) => {
        const venue = /^venue:\n(?: +.*\n)+/m.exec(before)?.[0] ?? "";
        return `${yamlOf(guide).replace(/^venue: .*\n/, venue)}server: { port: ${port} }\n`;
      }),
    async (follower: Follower) => {
      // A user comes back after hours: by then the canary runs.
      await logged("maxOpenOrders 20 -> 2", follower);
      follower.edit("live/quoin.yaml", (text) => text.replaceAll("maxOpenOrders: 2", "maxOpenOrders: 4"));
    },
  ];
  const { printed, daemon, stop } = await follow(guide, {
    typed(line, follower) {
      if (line.startsWith("curl")) {
        keys.push(publicKey(follower));
        return keys.map((key) => onDevnet(line.replace("PUBLIC_KEY", key), follower)).join(" && ");
      }
      return onDevnet(line, follower)
        .replace("npx quoin init", "npx quoin init --yes")
        .replace(/ --live$/, "")
        .replace("npx quoin drill", "npx quoin drill --only kill9")
        .replace(/"\$\(pgrep .*?\)"/, () => `${follower.daemon().child.pid}`);
    },
    before: {
      "npx quoin keygen": (follower) => {
        keys.push(publicKey(follower));
        follower.edit("live/quoin.yaml", (text) =>
          withoutLag(text).replace("port: 9464", `port: ${port}`).replace("# watchdogKeyFile", "watchdogKeyFile"),
        );
      },
      "npx quoin check": (follower) => edits.shift()?.(follower),
    },
  });
  await daemon().seen("the raised limit", (stdout) => stdout.includes("maxOpenOrders 2 -> 4"));
  await stop();
  expect(new Set(keys).size).toBe(2);
  expect(printed()).not.toContain("FAIL");
  expect(printed()).toMatch(/^OK +watchdog +its keys are approved/m);
  expect(printed()).toMatch(/^OK +liveOrder/m);
  expect(printed()).toMatch(/^OK +kill9/m);
  expect(printed()).toContain("account 12: resumed; no latch holds it");
});
