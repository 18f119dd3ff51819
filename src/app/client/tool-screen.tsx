import { useState } from 'react'
import { DuplicatesScreen } from '#features/analysis/client/duplicates-screen.tsx'
import { ReviewScreen } from '#features/analysis/client/review-screen.tsx'
import type { Tool } from '#features/analysis/client/tool-address.ts'
import { MergeButton } from '#features/bulk-actions/client/merge-button.tsx'
import type { Media } from '#features/media/contract.ts'
import { LazyViewer } from './lazy-viewer.tsx'

type Opened = { id: number; page: readonly Media[] }

/** A screen for duplicates or reviews; its items open in the same viewer as those of the library. */
export function ToolScreen({ tool }: { tool: Tool }) {
  const [opened, setOpened] = useState<Opened>()
  const open = (id: number, page: readonly Media[]) => setOpened({ id, page })
  return (
    <div className="px-4 pt-5 pb-10 sm:px-6">
      {tool === 'duplicates' ? (
        <DuplicatesScreen onOpen={open} MergeButton={MergeButton} />
      ) : (
        <ReviewScreen onOpen={open} />
      )}
      {opened && (
        <LazyViewer
          mediaId={opened.id}
          page={opened.page}
          onNavigate={({ itemId }) => setOpened({ ...opened, id: itemId })}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  )
}
