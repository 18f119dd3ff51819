import Sparkles from 'lucide-react/icons/sparkles'
import type { ViewedMedia } from '../../contract.ts'

/** The icon before a tag that was added by AI. */
export function TagSpark({ media, tag }: { media: ViewedMedia; tag: string }) {
  const isFoundByAi = media.tagOrigins?.some((origin) => origin.tag === tag && origin.source === 'ai')
  return isFoundByAi && <Sparkles role="img" aria-label="Added by AI" className="shrink-0 text-faint" />
}
