import CircleAlert from 'lucide-react/icons/circle-alert'
import { classNames } from '#ui/class-names.ts'
import type { Media } from '../contract.ts'
import { onPicture, pictureLabel } from './picture-overlay-classes.ts'
import { usePlaybackProgress } from './playback-progress.ts'
import { RetryProcessing } from './retry-processing.tsx'

/** The progress of preparing a video for playback, or why it failed. */
export function PlaybackState({ media, canRetry }: { media: Media; canRetry: boolean }) {
  const fraction = usePlaybackProgress(media.id)
  if (media.playback === 'failed') {
    return (
      <>
        <span className={pictureLabel} title={media.processingError ?? undefined}>
          <CircleAlert aria-hidden="true" />
          <span className="truncate">Cannot play</span>
        </span>
        {canRetry && !media.trashedAt && (
          <RetryProcessing
            media={media}
            size="sm"
            className={classNames(onPicture, 'pointer-events-auto border-0! text-xs!')}
          />
        )}
      </>
    )
  }
  if (media.playback !== 'pending') return null
  return (
    <span className={classNames(pictureLabel, 'figures')}>
      {fraction === undefined ? 'Preparing' : `Preparing ${Math.round(fraction * 100)}%`}
    </span>
  )
}
