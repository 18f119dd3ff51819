const nonBreakingSpace = '\u00a0'

/** Facts in a row, each of which stays whole where the line breaks. */
export const listUnbroken = (facts: readonly string[]) =>
  facts.map((fact) => fact.replaceAll(' ', nonBreakingSpace)).join(', ')
