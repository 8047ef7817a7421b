// Who wants to be told of something, in the order they asked.

export type Listeners<T> = {
  readonly add: (listener: (told: T) => void) => () => void;
  readonly tell: (told: T) => void;
};

export function createListeners<T>(): Listeners<T> {
  const listeners = new Set<(told: T) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    tell(told) {
      for (const listener of listeners) listener(told);
    },
  };
}
