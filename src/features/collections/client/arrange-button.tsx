import GripVertical from 'lucide-react/icons/grip-vertical'
import { Suspense, useState } from 'react'
import { useLibraryView } from '#features/media/client/library-view.ts'
import { Button } from '#ui/button.tsx'
import { lazyPart } from '#ui/lazy-part.ts'

const ArrangeDialog = lazyPart(async () => (await import('./dialogs/arrange-dialog.tsx')).ArrangeDialog)

/** In the library's list of a collection: puts it in order, and shows it in that order from then on. */
export function ArrangeButton({ collectionId }: { collectionId: number }) {
  const [, setView] = useLibraryView()
  const [isOpen, setIsOpen] = useState(false)

  function open() {
    setView({ sort: 'manual' }, { replace: true })
    setIsOpen(true)
  }

  return (
    <>
      <Button variant="secondary" icon={<GripVertical />} onClick={open}>
        <span className="max-sm:sr-only">Arrange</span>
      </Button>
      {isOpen && (
        <Suspense>
          <ArrangeDialog collection={{ id: collectionId }} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
