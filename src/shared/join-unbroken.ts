const nonBreakingSpace = '\u00a0'

/** Joins facts with commas; non-breaking spaces keep each fact on one line. */
export const joinUnbroken = (facts: readonly string[]) =>
  facts.map((fact) => fact.replaceAll(' ', nonBreakingSpace)).join(', ')
