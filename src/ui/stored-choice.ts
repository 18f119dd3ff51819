/** A word that this browser keeps for its user; one that it refuses to store holds until the page is left. */
export function storedChoice(key: string) {
  let unstored: string | undefined
  return {
    key,
    read(): string | null {
      if (unstored !== undefined) return unstored
      try {
        return localStorage.getItem(key)
      } catch {
        return null
      }
    },
    write(choice: string) {
      unstored = choice
      try {
        localStorage.setItem(key, choice)
      } catch {
        // Storage is full or forbidden.
      }
    },
    /** Another tab has chosen. */
    readAgain() {
      unstored = undefined
    },
  }
}
