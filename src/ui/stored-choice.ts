/** A setting in localStorage; when the browser refuses to store it, it is kept until the page is left. */
export function storedChoice(key: string) {
  let unsavedChoice: string | undefined
  return {
    key,
    read(): string | null {
      if (unsavedChoice !== undefined) return unsavedChoice
      try {
        return localStorage.getItem(key)
      } catch {
        return null
      }
    },
    write(choice: string) {
      unsavedChoice = choice
      try {
        localStorage.setItem(key, choice)
      } catch {
        // Storage is full or forbidden.
      }
    },
    /** Call when another tab has changed the setting. */
    reload() {
      unsavedChoice = undefined
    },
  }
}
