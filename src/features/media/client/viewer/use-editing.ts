import { useState } from 'react'
import type { Media } from '../../contract.ts'
import { draftOf, type EditDraft, isChanged } from './edit-draft.ts'

/** The edit mode: a draft while it lasts, and a question before unsaved changes are left behind. */
export function useEditing(media: Media | undefined) {
  const [draft, setDraft] = useState<EditDraft>()
  /** What waits for the answer. */
  const [leaving, setLeaving] = useState<{ go: () => void }>()
  const hasChanges = draft !== undefined && media !== undefined && isChanged(draft, media)
  return {
    draft,
    change: setDraft,
    isAsking: leaving !== undefined,
    begin: () => media && setDraft(draftOf(media)),
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
