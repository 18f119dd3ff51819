import { altTextOf } from '#features/media/alt-text.ts'
import type { Media } from '#features/media/contract.ts'
import type { SnippetItem } from '../snippets.ts'

/** An item of the library as a website shows it. */
type Shown = Pick<
  Media,
  | 'filename'
  | 'type'
  | 'mimeType'
  | 'width'
  | 'height'
  | 'isAnimated'
  | 'thumbhash'
  | 'altTexts'
  | 'isDecorative'
  | 'userDescription'
  | 'aiDescription'
  | 'fileUrl'
  | 'publicUrl'
>

/** `languages`: those of the alternative text, the most wanted first. */
export const toSnippetItem = (media: Shown, languages: readonly string[]): SnippetItem => ({
  name: media.filename,
  alt: altTextOf(media, languages),
  type: media.type,
  mimeType: media.mimeType,
  width: media.width,
  height: media.height,
  isAnimated: media.isAnimated,
  isTransparent: media.thumbhash !== null && hasAlpha(media.thumbhash),
  fileUrl: media.fileUrl,
  pageUrl: media.publicUrl,
})

/** The highest bit of a thumbhash's header says whether it has an alpha channel. */
const hasAlpha = (thumbhash: string) => atob(thumbhash).charCodeAt(2) >= 128
