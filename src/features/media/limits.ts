/** Separate from the contract, so that the browser loads it without the schemas. */
export const maxUploadBytes = 524_288_000
/** A picture to search with, which is not stored. */
export const maxExampleBytes = 25 * 1024 * 1024
/** An example is a sketch of 128 bytes in Base64, so that an address can hold it. */
export const exampleLength = 171
/** How long an item stays in the trash before it is permanently deleted. */
export const trashDays = 30

/** How many earlier files of an item are kept when its file is replaced. */
export const maxEarlierVersions = 10
/** How a file became the file of its item. */
export const versionCauses = ['upload', 'replacement', 'conversion', 'edit'] as const
export type VersionCause = (typeof versionCauses)[number]

/** `manual` is a collection's own order; elsewhere it counts as absent. */
export const sorts = ['recent', 'taken', 'name', 'size', 'type', 'manual'] as const
export type Sort = (typeof sorts)[number]
export const directions = ['asc', 'desc'] as const
export type Direction = (typeof directions)[number]
export const pageSizes = [25, 50, 100, 200] as const

/** The most items accepted by one call. */
export const maxItemsAtOnce = 10_000
export const maxSearchLength = 200
export const maxDescriptionLength = 10_000
export const maxAltTextLength = 1000
/** Longer ones are read out in full by screen readers, and shorter ones say little. */
export const goodAltTextLength = { min: 60, max: 125 } as const
export const maxAltTexts = 50
export const maxLanguageLength = 35
export const maxTitleLength = 200
/** Of a creator, a credit and a license each. */
export const maxRightsLength = 500
export const maxSourceUrlLength = 2000
export const maxTagLength = 50
export const maxTags = 200
export const tagColors = ['red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink', 'gray'] as const
export type TagColor = (typeof tagColors)[number]
export const tooManyTags = `An item can have up to ${maxTags} tags.`

/** The widths in which the server renders smaller versions of a picture. */
export const renditionWidths = [320, 640, 960, 1280, 1920, 2560] as const

/** Without those smaller than the thumbnail. */
export const largeWidths = renditionWidths.filter((width) => width > 400)

/** The size that programs expect for the picture of a link preview. */
export const linkPreviewSize = { width: 1200, height: 630 }

/** Widths of a video's poster: on a phone or in a page, and full-screen. */
export const posterWidths = { small: 1280, large: 1920 } as const satisfies Record<
  string,
  (typeof renditionWidths)[number]
>
