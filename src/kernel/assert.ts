// Assertions: a broken invariant is a bug in this code, never a failure of the environment or bad input, and stops the program.

export class InvariantError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InvariantError";
  }
}

/** Throws InvariantError if `condition` is false. `message` says what must hold. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** For a branch that the types exclude. Throws InvariantError. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${String(value)}`);
}
