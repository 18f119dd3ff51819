/** Under what may be transparent: dark lines on a clear ground would be lost in the dark. */
export const transparencyGrid =
  'bg-[repeating-conic-gradient(var(--faint)_0_25%,color-mix(in_oklab,var(--faint),var(--line-control)_45%)_0_50%)] bg-size-[1.25rem_1.25rem]'

export const mayBeTransparent = (mimeType: string) => mimeType !== 'image/jpeg'
