import CircleAlert from 'lucide-react/icons/circle-alert'
import { PictureLabel } from '#ui/picture-label.tsx'
import type { Media } from '../contract.ts'
import { usePlaybackProgress } from './playback-progress.ts'
import { RetryProcessing } from './retry-processing.tsx'

/** The progress of preparing a video for playback, or why it failed. */
export function PlaybackState({ media, canRetry }: { media: Media; canRetry: boolean }) {
  const fraction = usePlaybackProgress(media.id)
  if (media.playback === 'failed') {
    return (
      <>
        <PictureLabel title={media.processingError ?? undefined}>
          <CircleAlert aria-hidden="true" />
          <span className="truncate">Can't play</span>
        </PictureLabel>
        {canRetry && !media.trashedAt && (
          <RetryProcessing media={media} size="sm" variant="on-picture" className="pointer-events-auto text-xs!" />
        )}
      </>
    )
  }
  if (media.playback !== 'pending') return null
  return (
    <PictureLabel className="figures">
      {fraction === undefined ? 'Preparing' : `Preparing ${Math.round(fraction * 100)}%`}
    </PictureLabel>
  )
}
