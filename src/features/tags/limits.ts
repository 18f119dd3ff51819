/** More tags than anyone reads; the list says so where it ends. */
export const maxListedTags = 10_000
export const maxMergedTags = 100
