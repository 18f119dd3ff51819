import { type ComponentProps, Suspense } from 'react'
import { lazyPart } from '#ui/lazy-part.ts'

const MediaViewer = lazyPart(async () => (await import('#features/media/client/viewer/media-viewer.tsx')).MediaViewer)
const ConvertDialog = lazyPart(
  async () => (await import('#features/conversion/client/convert-dialog.tsx')).ConvertDialog,
)

const MoveDialog = lazyPart(
  async () => (await import('#features/bulk-actions/client/dialogs/move-dialog.tsx')).MoveOneDialog,
)
const Findings = lazyPart(async () => (await import('#features/analysis/client/findings.tsx')).Findings)

type ViewerDoorProps = Pick<ComponentProps<typeof MediaViewer>, 'mediaId' | 'page' | 'view' | 'onNavigate' | 'onClose'>

/** Loads the viewer when an item is first opened, and its dialogs when somebody first wants them. */
export function ViewerDoor(props: ViewerDoorProps) {
  return (
    <Suspense>
      <MediaViewer
        {...props}
        ConvertDialog={ConvertDialog}
        MoveDialog={MoveDialog}
        renderFindings={(media) => <Findings media={media} onSelect={(itemId) => props.onNavigate({ itemId })} />}
      />
    </Suspense>
  )
}
