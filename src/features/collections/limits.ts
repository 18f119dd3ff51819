export const maxNameLength = 200
/** How many thumbnails a collection's card shows. */
export const sampleSize = 4
