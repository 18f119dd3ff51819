import Undo2 from 'lucide-react/icons/undo-2'
import type { ViewedMedia } from '#features/media/contract.ts'
import { relativeDate } from '#shared/dates.ts'
import { Button } from '#ui/button.tsx'
import { aiName } from '../ai-name.ts'
import { useRevertAnalysis } from './mutations.ts'
import { type SelectSimilar, SimilarStrip, VersionStrip } from './similar-strip.tsx'

type FindingsProps = { media: ViewedMedia; isSettled: boolean; onSelect: SelectSimilar }

/** The AI section of an item's details: which AI described it, and similar items. */
export function Findings({ media, isSettled, onSelect }: FindingsProps) {
  return (
    <>
      <Provenance media={media} />
      {!media.trashedAt && (
        <>
          <VersionStrip mediaId={media.id} isSettled={isSettled} onSelect={onSelect} />
          <SimilarStrip mediaId={media.id} isSettled={isSettled} onSelect={onSelect} />
        </>
      )}
    </>
  )
}

/** Which model described an item and when, its error if any, and the revert button. */
function Provenance({ media }: { media: ViewedMedia }) {
  const revert = useRevertAnalysis()
  if (media.aiStatus !== 'done' || !media.aiModel || !media.aiAnalysedAt) return null
  return (
    <section aria-label="AI analysis" className="border-line border-t px-5 py-4">
      <div className="flex items-start justify-between gap-2">
        <p title={media.aiModel} className="wrap-anywhere min-w-0 text-muted text-sm">
          Described by {aiName(media.aiProvider ?? null, media.aiModel)},{' '}
          {relativeDate(media.aiAnalysedAt).toLowerCase()}
        </p>
        <Button
          size="sm"
          variant="quiet"
          icon={<Undo2 />}
          isPending={revert.isPending}
          onClick={() => revert.mutate(media.id)}
          className="-mt-1 -mr-2.5 shrink-0"
        >
          Revert
        </Button>
      </div>
      {media.aiError && <p className="mt-1 text-muted text-sm">{media.aiError}</p>}
    </section>
  )
}
