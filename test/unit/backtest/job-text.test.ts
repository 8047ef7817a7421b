// A run as text: nothing of it is lost on the way, and no path depends on the folder that the other machine works in.

import { resolve } from "node:path";
import { expect, test } from "vitest";
import { endText, jobText, readEnd, readJob } from "../../../src/backtest/queue/job-text.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";

test("a job comes back with its long integers, and with its paths absolute", () => {
  const settings = [
    { path: "a", value: 2n ** 64n },
    { path: "b", value: { c: [1.5, "1.5", null, 9_007_199_254_740_993n] } },
  ];
  const texts = new Map([
    ["bot.yaml", "with a \u0000 and a \ud800"],
    ["/etc/devnet.yaml", ""],
  ]);
  const job = { file: "bot.yaml", texts, settings, seed: 2n ** 63n, days: 0.1 };
  expect(readJob(jobText(job, systemFiles))).toEqual({
    ...job,
    file: resolve("bot.yaml"),
    texts: new Map([
      [resolve("bot.yaml"), "with a \u0000 and a \ud800"],
      ["/etc/devnet.yaml", ""],
    ]),
  });
});

test("the text holds no NUL, which PostgreSQL's JSON refuses, and keys keep their order", () => {
  const texts = new Map([["/bot.yaml", "\u0000"]]);
  expect(jobText({ file: "/bot.yaml", texts, settings: [], seed: 1n, days: 1 }, systemFiles)).not.toContain("\u0000");
  const error = { error: "it does not start" };
  expect(readEnd(endText(error))).toEqual(error);
});
