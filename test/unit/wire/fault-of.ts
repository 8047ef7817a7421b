// A fault of the wire as text, for tests that compare it.

import { WireError } from "../../../src/wire/errors.ts";

/** Code and place of the WireError that `run` throws; undefined: it throws nothing. */
export function faultOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return thrown instanceof WireError ? `${thrown.code} ${thrown.path}`.trim() : `not coded: ${thrown}`;
  }
}
