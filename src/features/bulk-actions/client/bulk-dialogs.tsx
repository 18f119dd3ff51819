import type { ComponentType } from 'react'
import type { BulkDialogProps } from './dialogs/bulk-dialog.tsx'
import { ConvertManyDialog } from './dialogs/convert-many-dialog.tsx'
import { CopyManyDialog } from './dialogs/copy-many-dialog.tsx'
import { DeleteManyDialog } from './dialogs/delete-many-dialog.tsx'
import { DescriptionDialog } from './dialogs/description-dialog.tsx'
import { ExportDialog } from './dialogs/export-dialog.tsx'
import { ImportTableDialog } from './dialogs/import-table-dialog.tsx'
import { MoveDialog } from './dialogs/move-dialog.tsx'
import { RemoveBackgroundsDialog } from './dialogs/remove-backgrounds-dialog.tsx'
import { RemoveTagsDialog } from './dialogs/remove-tags-dialog.tsx'
import { RenameDialog } from './dialogs/rename-dialog.tsx'
import { TagsDialog } from './dialogs/tags-dialog.tsx'
import { UrlsDialog } from './dialogs/urls-dialog.tsx'
import { HistoryDialog } from './history-dialog.tsx'

const dialogs = {
  rename: RenameDialog,
  move: MoveDialog,
  urls: UrlsDialog,
  export: ExportDialog,
  tags: TagsDialog,
  'remove-tags': RemoveTagsDialog,
  description: DescriptionDialog,
  convert: ConvertManyDialog,
  background: RemoveBackgroundsDialog,
  copy: CopyManyDialog,
  delete: DeleteManyDialog,
} satisfies Record<string, ComponentType<BulkDialogProps>>

export type BulkDialogName = keyof typeof dialogs | 'ai-tag' | 'alt-texts' | 'history' | 'import'

/** The dialogs share one chunk, which is loaded when the first of them opens. */
export function BulkDialogs({
  name,
  ...props
}: BulkDialogProps & { name: Exclude<BulkDialogName, 'ai-tag' | 'alt-texts'> }) {
  if (name === 'history') return <HistoryDialog onClose={props.onClose} />
  if (name === 'import') return <ImportTableDialog onClose={props.onClose} />
  const Chosen: ComponentType<BulkDialogProps> = dialogs[name]
  return <Chosen {...props} />
}
