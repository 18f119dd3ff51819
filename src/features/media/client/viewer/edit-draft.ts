import type { Media, MediaPatch } from '../../contract.ts'

/** What the edit mode holds until it is saved. */
export type EditDraft = { filename: string; userDescription: string; aiDescription: string; tags: readonly string[] }

export function draftOf({ filename, userDescription, aiDescription, aiTags }: Media): EditDraft {
  return { filename, userDescription: userDescription ?? '', aiDescription: aiDescription ?? '', tags: aiTags }
}

/** Only what differs: what a person did not touch stays a model's. */
export function patchOf(draft: EditDraft, media: Media): Partial<MediaPatch> {
  const original = draftOf(media)
  const filename = draft.filename.trim()
  const userDescription = draft.userDescription.trim()
  const aiDescription = draft.aiDescription.trim()
  return {
    ...(filename !== original.filename && { filename }),
    ...(userDescription !== original.userDescription && { userDescription }),
    ...(aiDescription !== original.aiDescription && { aiDescription }),
    ...(draft.tags.join('\n') !== original.tags.join('\n') && { aiTags: [...draft.tags] }),
  }
}

export function isChanged(draft: EditDraft, media: Media): boolean {
  return Object.keys(patchOf(draft, media)).length > 0
}

/** Adds what was typed: trimmed, in lower case, no blank and nothing twice. Commas separate several. */
export function addTags(tags: readonly string[], typed: string): readonly string[] {
  const wanted = typed.split(',').map((tag) => tag.trim().toLowerCase())
  return [...new Set([...tags, ...wanted.filter(Boolean)])]
}
