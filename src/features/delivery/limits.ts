/** Separate from the contract, so that the browser loads it without the schemas. */
export const maxEdge = 8192
export const minQuality = 30
export const maxQuality = 95
export const maxPresets = 50
export const maxPresetNameLength = 40
/** The most addresses in one call. */
export const maxAddresses = 40

export const deliveredFormats = ['webp', 'avif', 'jpg', 'png'] as const

/** `auto`: AVIF or WebP for browsers that accept it; `original`: the file's own format. */
export const presetFormats = ['auto', 'original', ...deliveredFormats] as const
