import { useEffect, useState } from 'react'
import { closeUpload, useUploadStore } from '#features/upload/client/upload-store.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'

const UploadDialog = lazyComponent(
  () => import('#features/upload/client/upload-dialog.tsx'),
  ({ UploadDialog }) => UploadDialog,
)

/** Loads the upload dialog when it is first wanted, and keeps it from then on: an upload may outlive its dialog. */
export function UploadDoor() {
  const { isOpen } = useUploadStore()
  const [isWanted, setIsWanted] = useState(isOpen)
  if (isOpen && !isWanted) setIsWanted(true)
  // Who signs out leaves no dialog open for the next one, and no collection to upload into.
  useEffect(() => closeUpload, [])
  if (!isWanted) return null
  const giveUp = () => {
    closeUpload()
    setIsWanted(false)
  }
  return (
    <LazyBoundary onFailed={giveUp}>
      <UploadDialog isOpen={isOpen} />
    </LazyBoundary>
  )
}
