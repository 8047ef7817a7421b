// Broken invariants stop the program: they are faults of this code, never of the world or of the input.

export class InvariantError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InvariantError";
  }
}

/** Throws InvariantError when `condition` does not hold. `message` says what must hold. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** For the branch that the types say cannot be reached. Throws InvariantError. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${String(value)}`);
}
