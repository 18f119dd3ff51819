/** The most languages that one run writes alt texts in. */
export const maxWrittenLanguages = 8
