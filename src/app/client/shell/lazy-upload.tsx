import { useEffect, useState } from 'react'
import { closeUpload, useUploadStore } from '#features/upload/client/upload-store.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'

const UploadDialog = lazyComponent(
  () => import('#features/upload/client/upload-dialog.tsx'),
  ({ UploadDialog }) => UploadDialog,
)

/** Loads the upload dialog when it is first opened, and keeps it mounted: an upload continues after the dialog closes. */
export function LazyUpload() {
  const { isOpen } = useUploadStore()
  const [wasOpened, setWasOpened] = useState(isOpen)
  if (isOpen && !wasOpened) setWasOpened(true)
  // Signing out closes the dialog and forgets its collection, so that the next user does not find them.
  useEffect(() => closeUpload, [])
  if (!wasOpened) return null
  const giveUp = () => {
    closeUpload()
    setWasOpened(false)
  }
  return (
    <LazyBoundary onFailed={giveUp}>
      <UploadDialog isOpen={isOpen} />
    </LazyBoundary>
  )
}
