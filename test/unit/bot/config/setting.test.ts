// Values of a bot's file replaced by path: where a path leads, and what it is refused for.

import { expect, test } from "vitest";
import { SettingError, withSettings } from "../../../../src/bot/config/setting.ts";

const written = {
  venue: { chainId: "a:devnet", embedded: "devnet.yaml" },
  accounts: [
    { accountId: 12, markets: [{ marketId: 1, strategy: "glft", params: { size: 0.5 } }, { marketId: 2 }] },
    { accountId: 13n, markets: [{ marketId: 1 }] },
  ],
};

test("accounts and markets are named by id, all else by key; the file itself stays as it is", () => {
  const before = structuredClone(written);
  const changed = withSettings(written, [
    { path: "accounts.12.markets.1.params.size", value: 2 },
    { path: "accounts.13.markets.1.strategy", value: "ladder" },
    { path: "venue.embedded", value: "other.yaml" },
  ]);
  expect(changed).toEqual({
    venue: { chainId: "a:devnet", embedded: "other.yaml" },
    accounts: [
      { accountId: 12, markets: [{ marketId: 1, strategy: "glft", params: { size: 2 } }, { marketId: 2 }] },
      { accountId: 13n, markets: [{ marketId: 1, strategy: "ladder" }] },
    ],
  });
  expect(written).toEqual(before);
});

test("a key that the file leaves to its default is made", () => {
  const changed = withSettings(written, [{ path: "accounts.12.markets.2.params.levels", value: 3 }]);
  expect(changed).toHaveProperty("accounts.0.markets.1.params.levels", 3);
});

test.each([
  ["accounts.21.markets.1.params.size", /no 21 there; did you mean 12\?/],
  ["accounts.12.markets.3.params.size", /no 3 there/],
  ["venue.chainId.deeper", /no deeper there/],
])("%s names nothing", (path, says) => {
  const set = () => withSettings(written, [{ path, value: 1 }]);
  expect(set).toThrow(SettingError);
  expect(set).toThrow(says);
});
