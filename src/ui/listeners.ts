/** Who wants to hear of what changes outside of React; `subscribe` is what `useSyncExternalStore` asks for. */
export function createListeners<News = void>() {
  const listeners = new Set<(news: News) => void>()
  return {
    subscribe(listener: (news: News) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell(news: News) {
      for (const listener of listeners) listener(news)
    },
  }
}
