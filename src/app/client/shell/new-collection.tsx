import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { useLibraryView } from '#features/media/client/use-library-view.ts'
import { openUnfiltered } from '#features/media/library-view.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'

const CreateDialog = lazyComponent(
  () => import('#features/collections/client/dialogs/create-dialog.tsx'),
  ({ CreateDialog }) => CreateDialog,
)

/** Creates a collection on any screen, and opens it. */
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
        <LazyBoundary onFailed={close}>
          <CreateDialog
            onClose={close}
            onCreated={({ id }) => {
              setView(openUnfiltered(id))
              onSelect?.()
            }}
          />
        </LazyBoundary>
      )}
    </>
  )
}
