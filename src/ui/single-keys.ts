const storageKey = 'albumen-single-keys'
/** The choice of this visit, for browsers that refuse to store it. */
let unstored: boolean | undefined

/** Whether a letter, a digit or a sign by itself does something. Who dictates sets off one with every word. */
export function areSingleKeysOn(): boolean {
  if (unstored !== undefined) return unstored
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    return true
  }
}

export function chooseSingleKeys(areOn: boolean) {
  unstored = areOn
  try {
    localStorage.setItem(storageKey, areOn ? 'on' : 'off')
  } catch {
    // Storage is full or forbidden: the choice holds until the page is left.
  }
}
