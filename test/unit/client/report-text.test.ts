// Trouble on the stream reads as a sentence: what happened, and when the next connection is tried.

import { expect, test } from "vitest";
import { type RemoteReport, reportText } from "../../../src/client/stream/report.ts";

test.each<readonly [RemoteReport, string]>([
  [
    { kind: "streamEnded", reason: "silent", why: null, waitMs: 155.367_120_651 },
    "the stream is silent; reconnecting in 155 ms",
  ],
  [
    { kind: "streamEnded", reason: "requested", why: null, waitMs: 0 },
    "the stream starts over on our request; reconnecting",
  ],
  [
    { kind: "streamEnded", reason: "refused", why: "connect ECONNREFUSED 127.0.0.1:1", waitMs: 1000 },
    "no stream of the exchange opens (connect ECONNREFUSED 127.0.0.1:1); reconnecting in 1 s",
  ],
  [{ kind: "streamRefused", message: "no market 7" }, "the exchange refused a stream request: no market 7"],
  [{ kind: "frameIgnored", type: "news" }, "ignored a stream message of unknown type news"],
])("%o", (report, text) => {
  expect(reportText(report)).toBe(text);
});
