import Film from 'lucide-react/icons/film'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { buttonClasses } from '#ui/button-classes.ts'
import { classNames } from '#ui/class-names.ts'
import { useHotkey } from '#ui/keys/use-hotkey.ts'
import { Progress } from '#ui/progress.tsx'
import { togglePlayback } from '#ui/toggle-playback.ts'
import type { Media } from '../../contract.ts'
import { usePlaybackProgress } from '../playback-progress.ts'
import { RetryProcessing } from '../retry-processing.tsx'
import { usePoster } from './use-poster.ts'

type VideoStageProps = { media: Media; isSettled: boolean; hasKeys: boolean; playsItself: boolean }

/** The player, or the reason why the video cannot be played yet or at all. Use the item's id as key. */
export function VideoStage({ media, isSettled, hasKeys, playsItself }: VideoStageProps) {
  const film = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    // If autoplay is blocked, the play button remains.
    if (playsItself) film.current?.play().catch(() => {})
  }, [playsItself])
  useHotkey(' ', () => togglePlayback(film.current), { isEnabled: hasKeys, worksInModal: true })
  // Stored with its URL, so that the new URL after a retry is tried.
  const [failure, setFailure] = useState<{ url: string; isOutOfReach: boolean }>()
  const poster = usePoster(media, isSettled)
  if (media.playbackUrl === null) return <PreparingNotice media={media} />
  const { playbackUrl: url } = media
  if (failure?.url === url) {
    return <CannotPlay media={media} onRetry={failure.isOutOfReach ? () => setFailure(undefined) : undefined} />
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: users' own videos have no captions */}
      <video
        ref={film}
        controls
        playsInline
        preload="metadata"
        src={url}
        poster={poster}
        aria-label={media.filename}
        onKeyDown={keepArrowKeys}
        onError={async ({ currentTarget: { error } }) => {
          const isOutOfReach = await isMissing(url, error)
          setFailure({ url, isOutOfReach })
        }}
        // Positioned by its corners: a percentage height in a row that grows with the video would overlap the content below.
        className="absolute inset-0 size-full object-contain"
      />
    </>
  )
}

/** Browsers also report an unreachable video as an unsupported format. */
async function isMissing(url: string, error: MediaError | null) {
  if (error?.code === MediaError.MEDIA_ERR_NETWORK) return true
  const answer = await fetch(url, { method: 'HEAD' }).catch(() => undefined)
  return !answer?.ok
}

/** While the player has the focus, the arrow keys seek instead of changing the item. */
function keepArrowKeys(event: KeyboardEvent) {
  if (event.key.startsWith('Arrow')) event.stopPropagation()
}

function PreparingNotice({ media }: { media: Media }) {
  const fraction = usePlaybackProgress(media.id)
  return (
    <Poster media={media}>
      <p className="font-medium">Preparing this video</p>
      <p className="mt-1 text-balance text-on-scrim/80 text-sm">
        Browsers can't play this format, so a playable copy is being made. The original is kept.
      </p>
      <Progress
        isBare={fraction === undefined}
        label="Preparing"
        value={fraction === undefined ? null : fraction * 100}
        detail={fraction === undefined ? undefined : `${Math.round(fraction * 100)}%`}
        className="mt-4 w-full"
      />
    </Poster>
  )
}

/** `onRetry` is set if the video failed to load and may load on another try. */
function CannotPlay({ media, onRetry }: { media: Media; onRetry?: (() => void) | undefined }) {
  const why = unplayableReason(media)
  const isLost = onRetry && !why
  return (
    <Poster media={media}>
      <Film aria-hidden="true" className="size-5" />
      <p className="mt-3 font-medium">{isLost ? "Couldn't load this video" : "Can't play this video"}</p>
      <p className="mt-1 text-balance text-on-scrim/80 text-sm">
        {why ??
          (isLost
            ? 'Check your connection and try again.'
            : "This browser doesn't support the format. You can download the original.")}
      </p>
      <div className="mt-4 flex flex-wrap justify-center gap-2">
        {isLost && <Button onClick={onRetry}>Try again</Button>}
        {media.playback === 'failed' && !media.trashedAt && <RetryProcessing media={media} />}
        <a href={`${media.originalUrl}?download=1`} download className={buttonClasses()}>
          Download original
        </a>
      </div>
    </Poster>
  )
}

/** The reason why this video cannot be played, from its metadata. */
function unplayableReason({ file, playback, processingError }: Media) {
  if (file !== 'ok') return `The file is ${file}.`
  return playback === 'failed' ? processingError : null
}

function Poster({ media, children }: { media: Media; children: ReactNode }) {
  return (
    <div className="relative grid size-full place-items-center">
      <img src={media.thumbnailUrl} alt="" className="absolute inset-0 size-full object-contain opacity-50" />
      <div
        className={classNames(
          'relative m-4 flex w-80 max-w-[calc(100%-7rem)] flex-col items-center',
          'rounded-md bg-scrim p-6 text-center text-on-scrim backdrop-blur-sm',
        )}
      >
        {children}
      </div>
    </div>
  )
}
