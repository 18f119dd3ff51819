import { type PointerEvent, useState } from 'react'
import type { Media } from '../contract.ts'

/** Moving the mouse over a video's card previews the video, using a sprite of key frames that is loaded on first hover. */
export function SpriteScrubber({ sprite }: { sprite: NonNullable<Media['sprite']> }) {
  const [frame, setFrame] = useState<number>()

  function follow(event: PointerEvent<HTMLDivElement>) {
    if (event.pointerType !== 'mouse') return
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const fraction = Math.min(0.999, Math.max(0, (event.clientX - left) / width))
    setFrame(Math.floor(fraction * sprite.frames))
  }

  const rows = Math.ceil(sprite.frames / sprite.columns)
  const column = (frame ?? 0) % sprite.columns
  const row = Math.floor((frame ?? 0) / sprite.columns)
  return (
    <div
      aria-hidden="true"
      className="absolute inset-0 grid place-items-center overflow-hidden rounded-picture"
      onPointerMove={follow}
      onPointerLeave={() => setFrame(undefined)}
    >
      {frame !== undefined && (
        <>
          <div
            className="h-full min-w-full bg-no-repeat"
            style={{
              aspectRatio: sprite.frameWidth / sprite.frameHeight,
              backgroundImage: `url("${sprite.url}")`,
              backgroundSize: `${sprite.columns * 100}% ${rows * 100}%`,
              backgroundPosition: `${position(column, sprite.columns)} ${position(row, rows)}`,
            }}
          />
          <div className="absolute inset-x-0 bottom-0 h-0.5 bg-scrim">
            <div className="h-full bg-accent" style={{ width: `${((frame + 1) / sprite.frames) * 100}%` }} />
          </div>
        </>
      )}
    </div>
  )
}

const position = (index: number, count: number) => (count > 1 ? `${(index / (count - 1)) * 100}%` : '0%')
