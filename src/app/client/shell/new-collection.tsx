import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { openWhole, useLibraryView } from '#features/media/client/library-view.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { lazyPart } from '#ui/lazy-part.tsx'
import { PartOnDemand } from '#ui/part-on-demand.tsx'

const CreateDialog = lazyPart(
  () => import('#features/collections/client/dialogs/create-dialog.tsx'),
  ({ CreateDialog }) => CreateDialog,
)

/** Makes a collection from anywhere, and opens it. */
export function NewCollection({ onSelect }: { onSelect?: () => void }) {
  const [, setView] = useLibraryView()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <>
      <IconButton
        label="New collection"
        icon={<Plus />}
        size="sm"
        onClick={() => setIsOpen(true)}
        className="-mr-2 text-faint"
      />
      {isOpen && (
        <PartOnDemand onFailed={close}>
          <CreateDialog
            onClose={close}
            onCreated={({ id }) => {
              setView(openWhole(id))
              onSelect?.()
            }}
          />
        </PartOnDemand>
      )}
    </>
  )
}
