/** The checkerboard behind transparent pictures. */
export const transparencyGrid = '[background:var(--transparency)] bg-size-[1.25rem_1.25rem]!'

export const mayBeTransparent = (mimeType: string) => mimeType !== 'image/jpeg'
