// Listeners of one kind of event, in the order of subscription.

export type Listeners<T> = {
  readonly add: (listener: (event: T) => void) => () => void;
  readonly publish: (event: T) => void;
};

export function createListeners<T>(): Listeners<T> {
  const listeners = new Set<(event: T) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    publish(event) {
      for (const listener of listeners) listener(event);
    },
  };
}
