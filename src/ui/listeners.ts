/** A list of listeners for state outside of React; `subscribe` fits `useSyncExternalStore`. */
export function createListeners<Event = void>() {
  const listeners = new Set<(event: Event) => void>()
  return {
    subscribe(listener: (event: Event) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify(event: Event) {
      for (const listener of listeners) listener(event)
    },
  }
}
