/** What is made when it is first wanted, and then the same for all; after a failure it is made anew. */
export function lazily<Thing>(make: () => Promise<Thing>) {
  let made: Promise<Thing> | undefined
  return {
    get(): Promise<Thing> {
      made ??= make().catch((error) => {
        made = undefined
        throw error
      })
      return made
    },
    /** Does nothing to what nobody ever wanted. */
    async close(close: (thing: Thing) => Promise<void>) {
      if (made) await close(await made)
    },
  }
}
