import { useState } from 'react'
import type { Media } from '../../contract.ts'
import { draftOf, type EditDraft, isChanged } from './edit-draft.ts'

/**
 * The edit mode: a draft while it lasts, the item as it was when it began, and a question before unsaved changes are
 * left behind.
 */
export function useEditing(media: Media | undefined) {
  const [begun, setBegun] = useState<Media>()
  const [draft, setDraft] = useState<EditDraft>()
  /** What waits for the answer. */
  const [leaving, setLeaving] = useState<{ go: () => void }>()
  const hasChanges = draft !== undefined && begun !== undefined && isChanged(draft, begun)
  return {
    begun,
    draft,
    change: setDraft,
    isAsking: leaving !== undefined,
    begin() {
      if (!media) return
      setBegun(media)
      setDraft(draftOf(media))
    },
    end: () => setDraft(undefined),
    /** Does what leads away from the draft, once nothing would be lost. */
    leave(go: () => void) {
      if (hasChanges) return setLeaving({ go })
      setDraft(undefined)
      go()
    },
    keepEditing: () => setLeaving(undefined),
    discard() {
      setDraft(undefined)
      setLeaving(undefined)
      leaving?.go()
    },
  }
}
