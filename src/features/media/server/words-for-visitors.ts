import type { MediaRow } from './to-media.ts'

type Written = Pick<
  MediaRow,
  'ai_description' | 'ai_description_source' | 'ai_provider' | 'ai_sees_only' | 'exif' | 'taken_at'
>

/**
 * [Note: Visitors are told what is seen]
 * A person's words are published as they are, the AI's only where they cannot hold a place, a day or a camera. Once it was
 * told these, and what it wrote then is in libraries and backups: the built-in AI closed with a sentence of them, which is
 * left out; an endpoint may have woven them in anywhere, so its words wait until it has looked again.
 */
export function descriptionForVisitors(row: Written): string | null {
  const { ai_description: text } = row
  if (!text || row.ai_description_source === 'person' || row.ai_sees_only === 1) return text
  if (row.ai_provider === 'local' && byBuiltInAi.test(text)) {
    return text.replace(takenSentence, '').replace('; subject not recognised.', '.')
  }
  return mayHoldFacts(row) ? null : text
}

export function tagsForVisitors(row: Written, tags: { tag: string; source: 'ai' | 'person' }[]): string[] {
  const isAiTrusted = row.ai_provider === 'local' || !mayHoldFacts(row)
  return tags.filter(({ source }) => isAiTrusted || source === 'person').map(({ tag }) => tag)
}

const mayHoldFacts = ({ ai_sees_only, exif, taken_at }: Written) =>
  ai_sees_only === 0 && (exif !== null || taken_at !== null)

const byBuiltInAi = /^(page of text\.|([\w-]+ )?(photo|video)(:|;| (on|by|in|at|under|among)) )/i
const takenSentence = /(?<=\.) Taken (on|near) .*$/s
