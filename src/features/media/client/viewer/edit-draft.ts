import type { Media, MediaPatch } from '../../contract.ts'

/** What the edit mode holds until it is saved. */
export type EditDraft = { filename: string; userDescription: string; aiDescription: string; tags: readonly string[] }

export function draftOf({ filename, userDescription, aiDescription, aiTags }: Media): EditDraft {
  return { filename, userDescription: userDescription ?? '', aiDescription: aiDescription ?? '', tags: aiTags }
}

/**
 * Only what differs from the item as it was when the editing began: what a person did not touch stays a model's, also
 * what has arrived meanwhile. Tags that came or went since (`now`) stay so.
 */
export function patchOf(draft: EditDraft, begun: Media, now: Media = begun): Partial<MediaPatch> {
  const original = draftOf(begun)
  const filename = draft.filename.trim()
  const userDescription = draft.userDescription.trim()
  const aiDescription = draft.aiDescription.trim()
  return {
    ...(filename !== original.filename && { filename }),
    ...(userDescription !== original.userDescription && { userDescription }),
    ...(aiDescription !== original.aiDescription && { aiDescription }),
    ...(draft.tags.join('\n') !== original.tags.join('\n') && {
      aiTags: mergeTags(draft.tags, original.tags, now.aiTags),
    }),
  }
}

/** The item from which the editing goes on when this was saved: what is typed after that is all that differs. */
export function withSaved(begun: Media, { filename, userDescription, aiDescription, tags }: EditDraft): Media {
  return {
    ...begun,
    filename: filename.trim(),
    userDescription: userDescription.trim(),
    aiDescription: aiDescription.trim(),
    aiTags: [...tags],
  }
}

function mergeTags(wanted: readonly string[], before: readonly string[], now: readonly string[]): string[] {
  const kept = wanted.filter((tag) => !before.includes(tag) || now.includes(tag))
  const arrived = now.filter((tag) => !before.includes(tag))
  return [...new Set([...kept, ...arrived])]
}

export function isChanged(draft: EditDraft, begun: Media): boolean {
  return Object.keys(patchOf(draft, begun)).length > 0
}

/** Adds what was typed: trimmed, in lower case, no blank and nothing twice. Commas separate several. */
export function addTags(tags: readonly string[], typed: string): string[] {
  const wanted = typed.split(',').map((tag) => tag.trim().toLowerCase())
  return [...new Set([...tags, ...wanted.filter(Boolean)])]
}
