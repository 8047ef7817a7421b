// What looks like a key is left out of text, and is no path; what does not is left as it is.

import { expect, test } from "vitest";
import { isKey, withoutKeys } from "../../../src/kernel/secret.ts";

const key = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

test.each([
  [`${key} does not exist`, "[a key] does not exist"],
  [`/run/keys/0x${key.toUpperCase()}: no such file`, "/run/keys/[a key]: no such file"],
  [`${key}${key}`, "[a key]"],
  [`${BigInt(`0x${key}`)} is not allowed`, "[a key] is not allowed"],
  [key.slice(1), key.slice(1)],
  ["http://user:pass@host/x is not allowed", "http://[credentials]@host/x is not allowed"],
  ['"https://u:p/w@d@host:80" and user@host', '"https://[credentials]@host:80" and user@host'],
  ["http://host:80/x", "http://host:80/x"],
  ["var/quoin.sqlite", "var/quoin.sqlite"],
  ["18446744073709551615", "18446744073709551615"],
])("%s", (text, expected) => {
  expect(withoutKeys(text)).toBe(expected);
});

test.each([
  [key, true],
  [` 0x${key}\n`, true],
  [key + key, true],
  [key.slice(1), false],
  [`keys/${key}`, false],
  [`${key}.key`, false],
  ["agent.key", false],
])("isKey %j: %s", (text, expected) => {
  expect(isKey(text)).toBe(expected);
});
