import type { Collection } from '../contract.ts'
import { ArrangeDialog } from './dialogs/arrange-dialog.tsx'
import { DeleteCollectionDialog } from './dialogs/delete-dialog.tsx'
import { DuplicateDialog } from './dialogs/duplicate-dialog.tsx'
import { EditSearchDialog } from './dialogs/edit-search-dialog.tsx'
import { FreezeDialog } from './dialogs/freeze-dialog.tsx'
import { RenameDialog } from './dialogs/rename-dialog.tsx'
import { RenameUrlDialog } from './dialogs/rename-url-dialog.tsx'

export type CollectionDialogName =
  | 'rename'
  | 'duplicate'
  | 'ai-rename'
  | 'share'
  | 'link'
  | 'arrange'
  | 'delete'
  | 'rename-url'
  | 'edit-search'
  | 'freeze'

type CollectionDialogsProps = {
  name: CollectionDialogName
  collection: Collection
  onRewrite: (copy: Collection) => void
  onClose: () => void
}

/** The dialogs of this feature; the app passes in the others. */
export function CollectionDialogs({ name, onRewrite, ...props }: CollectionDialogsProps) {
  if (name === 'rename') return <RenameDialog {...props} />
  if (name === 'duplicate') return <DuplicateDialog {...props} onRewrite={onRewrite} />
  if (name === 'arrange') return <ArrangeDialog {...props} />
  if (name === 'delete') return <DeleteCollectionDialog {...props} />
  if (name === 'rename-url') return <RenameUrlDialog {...props} />
  if (name === 'edit-search') return <EditSearchDialog {...props} />
  if (name === 'freeze') return <FreezeDialog {...props} />
  return null
}
