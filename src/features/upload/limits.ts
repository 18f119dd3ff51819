export const supportedFormats = 'Supported formats: JPEG, PNG, GIF, WebP, MP4, MOV, AVI.'
/** Shown, not enforced: with AI analysis a batch takes longer. */
export const shownFileLimit = { withAi: 20, withoutAi: 200 }
export const maxPrefixLength = 100
