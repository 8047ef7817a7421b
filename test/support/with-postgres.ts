// Tests on a real PostgreSQL. They share one condition, and one line that says why they are skipped.

import { describe } from "vitest";
import { noPostgres } from "./postgres.ts";

if (noPostgres !== undefined) console.log(`skipped: ${noPostgres}`);

/** `describe`, skipped where the embedded PostgreSQL does not exist: it is built for Linux on x64 only. */
export const withPostgres = describe.skipIf(noPostgres !== undefined);
