// The commit of a checkout, read from git's files.

import { expect, test } from "vitest";
import { commitOf } from "../../../src/host/process.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const OTHER = COMMIT.replace("0", "f");

test.each([
  ["a branch", { HEAD: "ref: refs/heads/main\n", "refs/heads/main": `${COMMIT}\n` }, COMMIT],
  ["a commit of its own", { HEAD: `${COMMIT}\n` }, COMMIT],
  [
    "a branch among others",
    {
      HEAD: "ref: refs/heads/main\n",
      "packed-refs": `# pack-refs\n${OTHER} refs/heads/old-main\n${OTHER} refs/remotes/refs/heads/main2\n${COMMIT} refs/heads/main\n`,
    },
    COMMIT,
  ],
  ["a branch without a commit", { HEAD: "ref: refs/heads/main\n" }, "unknown"],
  ["no checkout", {}, "unknown"],
  ["what is no commit", { HEAD: "main\n" }, "unknown"],
])("%s", (_name, files: Readonly<Record<string, string>>, commit) => {
  const read = (path: string): string => {
    const text = files[path.replace("/checkout/.git/", "")];
    if (text === undefined) throw new Error("absent");
    return text;
  };
  expect(commitOf("/checkout/.git", read)).toBe(commit);
});
