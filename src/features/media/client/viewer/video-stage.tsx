import Film from 'lucide-react/icons/film'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { buttonClasses } from '#ui/button-classes.ts'
import { useHotkey } from '#ui/keys/use-hotkey.ts'
import { playOrPause } from '#ui/play-or-pause.ts'
import { Progress } from '#ui/progress.tsx'
import type { Media } from '../../contract.ts'
import { usePlaybackProgress } from '../playback-progress.ts'
import { RetryProcessing } from '../retry-processing.tsx'
import { usePoster } from './use-poster.ts'

type VideoStageProps = { media: Media; isAtRest: boolean; hasKeys: boolean; playsItself: boolean }

/** The player, or why there is none yet, or why there will be none. Give it the item's id as key. */
export function VideoStage({ media, isAtRest, hasKeys, playsItself }: VideoStageProps) {
  const film = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    // Where the browser does not let it, its button is there.
    if (playsItself) film.current?.play().catch(() => {})
  }, [playsItself])
  useHotkey(' ', () => playOrPause(film.current), { isEnabled: hasKeys, worksInModal: true })
  // By address: when another try gave it a new one, that is played.
  const [failedUrl, setFailedUrl] = useState<string>()
  const poster = usePoster(media, isAtRest)
  if (media.playbackUrl === null) return <BeingPrepared media={media} />
  if (failedUrl === media.playbackUrl) return <CannotPlay media={media} />
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: people's own videos come without captions */}
      <video
        ref={film}
        controls
        playsInline
        preload="metadata"
        src={media.playbackUrl}
        poster={poster}
        aria-label={media.filename}
        onKeyDown={keepArrowKeys}
        onError={() => setFailedUrl(media.playbackUrl ?? undefined)}
        // By its corners: a percentage of a row that grows with the film would let it grow over what lies below.
        className="absolute inset-0 size-full object-contain"
      />
    </>
  )
}

/** While the player has the focus, arrows seek in it instead of turning to the next item. */
function keepArrowKeys(event: KeyboardEvent) {
  if (event.key.startsWith('Arrow')) event.stopPropagation()
}

function BeingPrepared({ media }: { media: Media }) {
  const fraction = usePlaybackProgress(media.id)
  return (
    <Poster media={media}>
      <p className="font-medium">This video is being prepared</p>
      <p className="mt-1 text-balance text-on-scrim/80 text-sm">
        Browsers cannot play its format, so a copy that they can play is being made. The original stays as it is.
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

function CannotPlay({ media }: { media: Media }) {
  return (
    <Poster media={media}>
      <Film aria-hidden="true" className="size-5" />
      <p className="mt-3 font-medium">This video cannot be played here</p>
      <p className="mt-1 text-balance text-on-scrim/80 text-sm">{whyUnplayable(media)}</p>
      <div className="mt-4 flex flex-wrap justify-center gap-2">
        {media.playback === 'failed' && !media.trashedAt && <RetryProcessing media={media} />}
        <a href={`${media.originalUrl}?download=1`} download className={buttonClasses()}>
          Download the original
        </a>
      </div>
    </Poster>
  )
}

function whyUnplayable({ file, playback, processingError }: Media): string {
  if (file !== 'ok') return `Its file is ${file}.`
  if (playback === 'failed' && processingError) return processingError
  return 'This browser does not know its format. The original can be downloaded.'
}

function Poster({ media, children }: { media: Media; children: ReactNode }) {
  return (
    <div className="relative grid size-full place-items-center">
      <img src={media.thumbnailUrl} alt="" className="absolute inset-0 size-full object-contain opacity-50" />
      <div className="relative m-4 flex w-80 max-w-[calc(100%-7rem)] flex-col items-center rounded-md bg-scrim p-6 text-center text-on-scrim backdrop-blur-sm">
        {children}
      </div>
    </div>
  )
}
