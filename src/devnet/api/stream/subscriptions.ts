// Who listens to what: topics such as `orderbook:1`, both ways round, so that a change finds its listeners and a closing
// connection its topics without a search.

export type Subscriptions<Listener> = {
  /** False when the listener has reached its cap; subscribing again to the same topic is no second subscription. */
  readonly add: (listener: Listener, topic: string) => boolean;
  readonly remove: (listener: Listener, topic: string) => void;
  /** Everything the listener subscribed to. */
  readonly removeAll: (listener: Listener) => void;
  /** In the order of subscription. */
  readonly listeners: (topic: string) => ReadonlySet<Listener>;
};

const NOBODY: ReadonlySet<never> = new Set();

export function createSubscriptions<Listener>(topicsPerListenerMax: number): Subscriptions<Listener> {
  const byTopic = new Map<string, Set<Listener>>();
  const byListener = new Map<Listener, Set<string>>();

  function detach(listener: Listener, topic: string): void {
    const listeners = byTopic.get(topic);
    listeners?.delete(listener);
    if (listeners?.size === 0) byTopic.delete(topic);
  }

  return {
    add(listener, topic) {
      const topics = byListener.get(listener) ?? new Set();
      if (topics.has(topic)) return true;
      if (topics.size >= topicsPerListenerMax) return false;
      byListener.set(listener, topics.add(topic));
      byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(listener));
      return true;
    },
    remove(listener, topic) {
      if (byListener.get(listener)?.delete(topic)) detach(listener, topic);
    },
    removeAll(listener) {
      for (const topic of byListener.get(listener) ?? []) detach(listener, topic);
      byListener.delete(listener);
    },
    listeners: (topic) => byTopic.get(topic) ?? NOBODY,
  };
}
