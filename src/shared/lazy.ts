/** Creates a value on first use and shares it with all callers; after a failure the next caller tries again. */
export function lazy<Value>(create: () => Promise<Value>) {
  let created: Promise<Value> | undefined
  return {
    get(): Promise<Value> {
      created ??= create().catch((error) => {
        created = undefined
        throw error
      })
      return created
    },
    /** Does nothing if the value was never used. */
    async close(close: (value: Value) => Promise<void>) {
      if (created) await close(await created)
    },
  }
}
