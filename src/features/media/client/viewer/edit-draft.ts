import type { FocalPoint } from '#shared/cover-crop.ts'
import type { MediaPatch, ViewedMedia } from '../../contract.ts'
import { changedWords, type WordsDraft, wordsOf } from './words-draft.ts'

/** The unsaved values of the edit form. */
export type EditDraft = {
  filename: string
  userDescription: string
  aiDescription: string
  tags: readonly string[]
  focalPoint: FocalPoint | null
  words: WordsDraft
}

export function draftOf({ filename, userDescription, aiDescription, aiTags, focalPoint }: ViewedMedia): EditDraft {
  const descriptions = { userDescription: userDescription ?? '', aiDescription: aiDescription ?? '' }
  return { filename, ...descriptions, tags: aiTags, focalPoint, words: { altTexts: {} } }
}

/**
 * Returns only the fields that differ from the item as it was when editing began, so that unchanged AI texts stay AI texts.
 * Tags that were added or removed elsewhere since (`now`) are kept.
 */
export function patchOf(draft: EditDraft, initial: ViewedMedia, now: ViewedMedia = initial): Partial<MediaPatch> {
  const original = draftOf(initial)
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
    ...(!isSamePoint(draft.focalPoint, original.focalPoint) && { focalPoint: draft.focalPoint }),
    ...changedWords(draft.words, initial, now),
  }
}

/** The item on which editing continues after a save: only later input differs from it. */
export function withSaved(initial: ViewedMedia, draft: EditDraft): ViewedMedia {
  const { filename, userDescription, aiDescription, tags, focalPoint } = draft
  return {
    ...initial,
    ...wordsOf(initial, draft.words),
    filename: filename.trim(),
    userDescription: userDescription.trim(),
    aiDescription: aiDescription.trim(),
    aiTags: [...tags],
    focalPoint,
  }
}

const isSamePoint = (one: FocalPoint | null, other: FocalPoint | null) => one?.x === other?.x && one?.y === other?.y

function mergeTags(wanted: readonly string[], before: readonly string[], now: readonly string[]): string[] {
  const kept = wanted.filter((tag) => !before.includes(tag) || now.includes(tag))
  const arrived = now.filter((tag) => !before.includes(tag))
  return [...new Set([...kept, ...arrived])]
}

export function isChanged(draft: EditDraft, initial: ViewedMedia): boolean {
  return Object.keys(patchOf(draft, initial)).length > 0
}

/** Adds the typed tags, separated by commas, trimmed, in lower case, without blanks and repeats. */
export function addTags(tags: readonly string[], typed: string): string[] {
  const wanted = typed.split(',').map((tag) => tag.trim().toLowerCase())
  return [...new Set([...tags, ...wanted.filter(Boolean)])]
}
