import { Suspense } from 'react'
import type { Media } from '#features/media/contract.ts'
import { lazyPart } from '#ui/lazy-part.ts'

const MediaViewer = lazyPart(async () => (await import('#features/media/client/viewer/media-viewer.tsx')).MediaViewer)
const ConvertDialog = lazyPart(
  async () => (await import('#features/conversion/client/convert-dialog.tsx')).ConvertDialog,
)

const Findings = lazyPart(async () => (await import('#features/analysis/client/findings.tsx')).Findings)

type ViewerDoorProps = {
  mediaId: number
  page: readonly Media[]
  onNavigate: (id: number) => void
  onClose: () => void
}

/** Loads the viewer when an item is first opened, and conversion when somebody first wants it. */
export function ViewerDoor({ mediaId, page, onNavigate, onClose }: ViewerDoorProps) {
  return (
    <Suspense>
      <MediaViewer
        mediaId={mediaId}
        page={page}
        onNavigate={onNavigate}
        onClose={onClose}
        ConvertDialog={ConvertDialog}
        renderFindings={(media) => <Findings media={media} onSelect={onNavigate} />}
      />
    </Suspense>
  )
}
