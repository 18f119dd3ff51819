import { useState } from 'react'
import { useUnsavedChanges } from '#ui/unsaved-changes.ts'
import type { ViewedMedia } from '../../contract.ts'
import { draftOf, type EditDraft, isChanged, withSaved } from './edit-draft.ts'

/**
 * The edit mode: the draft, the item as it was when editing began, and a confirmation before discarding changes. It belongs
 * to one item, even if browser history leads to another.
 */
export function useEditing(media: ViewedMedia | undefined) {
  const [edit, setEdit] = useState<{ initial: ViewedMedia; draft: EditDraft } | 'ended'>()
  const own = edit !== 'ended' && edit?.initial.id === media?.id ? edit : undefined
  const hasChanges = own !== undefined && isChanged(own.draft, own.initial)
  const end = () => setEdit((before) => before && 'ended')
  /** Input typed while the save was pending is not saved yet, so editing continues with it. */
  const endSaved = (sent: EditDraft) =>
    setEdit((now) => {
      if (now === undefined || now === 'ended') return now
      const initial = withSaved(now.initial, sent)
      return isChanged(now.draft, initial) ? { ...now, initial } : 'ended'
    })
  const unsaved = useUnsavedChanges(hasChanges, end)
  return {
    initial: own?.initial,
    draft: own?.draft,
    change: (draft: EditDraft) => own && setEdit({ ...own, draft }),
    begin: () => media && setEdit({ initial: media, draft: draftOf(media) }),
    end,
    endSaved,
    hasEnded: edit === 'ended',
    ...unsaved,
  }
}
