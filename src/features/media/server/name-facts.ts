import type { NameContext } from '#engines/ai/provider.ts'
import { splitExtension } from '#shared/filenames.ts'
import type { MediaRow } from './to-media.ts'

/** Names are public, so they are made only of text that visitors may read. */
export function nameContextOf(row: MediaRow, tags: { tag: string }[]): NameContext {
  const source = row.source ? (JSON.parse(row.source) as { alt?: string; context?: string }) : {}
  const [altText] = row.alt_texts ? Object.values<string>(JSON.parse(row.alt_texts)) : []
  return {
    caption: row.user_description ?? undefined,
    alt: altText || source.alt,
    title: row.title ?? undefined,
    heading: source.context,
    fileName: splitExtension(row.filename).stem,
    description: row.ai_description ?? undefined,
    ocr: row.found_text ?? undefined,
    tags: tags.map(({ tag }) => tag),
  }
}

/** The day on which an item was taken, or else added. */
export const dayOf = ({ taken_at, created_at }: Pick<MediaRow, 'taken_at' | 'created_at'>) =>
  (taken_at ?? new Date(created_at).toISOString()).slice(0, 10)
