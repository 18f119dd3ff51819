import { settingNames } from './config.ts'

/**
 * What to say about names that are nearly a setting's. Others are passed over: `.env` may serve other programs too, as
 * Docker Compose and its database.
 */
export function describeMisspelt(names: string[]) {
  return names.flatMap((name) => {
    const meant = settingNames.includes(name) ? undefined : settingNames.find((known) => isNear(name, known))
    return meant ? [`${name} in .env is not a setting of Albumen; did you mean ${meant}?`] : []
  })
}

/** One slip of the hand, or two where the name is long enough to be told from every other word. */
function isNear(name: string, known: string) {
  return slipsBetween(name.toUpperCase(), known) <= (known.length < 8 ? 1 : 2)
}

/** How many signs are too many, missing, others, or the wrong way round (the "optimal string alignment" of the two). */
function slipsBetween(one: string, other: string) {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= one.length; row++) {
    const slips = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isTurned = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      slips[column] = Math.min(
        rows[row - 1]![column]! + 1,
        slips[column - 1]! + 1,
        rows[row - 1]![column - 1]! + (isSame ? 0 : 1),
        isTurned ? rows[row - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rows.push(slips)
  }
  return rows.at(-1)!.at(-1)!
}
