import type { Media } from '#features/media/contract.ts'
import { Provenance } from './provenance.tsx'
import { type SelectSimilar, SimilarStrip } from './similar-strip.tsx'

/** What the AI knows about an item beyond its words: who described it, and what looks like it. */
export function Findings({ media, onSelect }: { media: Media; onSelect: SelectSimilar }) {
  return (
    <>
      <Provenance media={media} />
      {!media.trashedAt && <SimilarStrip mediaId={media.id} onSelect={onSelect} />}
    </>
  )
}
