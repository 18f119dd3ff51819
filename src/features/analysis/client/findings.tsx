import type { ViewedMedia } from '#features/media/contract.ts'
import { Provenance } from './provenance.tsx'
import { type SelectSimilar, SimilarStrip } from './similar-strip.tsx'

type FindingsProps = { media: ViewedMedia; isAtRest: boolean; onSelect: SelectSimilar }

/** What the AI knows about an item beyond its words: who described it, and what looks like it. */
export function Findings({ media, isAtRest, onSelect }: FindingsProps) {
  return (
    <>
      <Provenance media={media} />
      {!media.trashedAt && <SimilarStrip mediaId={media.id} isAtRest={isAtRest} onSelect={onSelect} />}
    </>
  )
}
