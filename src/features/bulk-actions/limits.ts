export const maxBaseNameLength = 150
export const maxPrefixLength = 100
export const maxTableBytes = 20 * 1024 * 1024
/** The columns of a table that are taken back, without those of alt texts. */
export const editableColumns = ['name', 'title', 'description', 'tags', 'creator', 'licence'] as const

/** The most items in a group of duplicates. */
export const maxMerged = 50
