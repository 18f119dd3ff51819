import { useQuery } from '@tanstack/react-query'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useRef } from 'react'
import type { Media } from '#features/media/contract.ts'
import { center, type FocalPoint } from '#shared/cover-crop.ts'
import { Button } from '#ui/button.tsx'
import { CroppedPicture } from './cropped-picture.tsx'
import { deliveryQueries } from './queries.ts'

type FocalFieldProps = { media: Media; value: FocalPoint | null; onChange: (point: FocalPoint | null) => void }

const steps: Record<string, FocalPoint> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}
const [step, largeStep] = [0.01, 0.1]
const shownPresets = 5

/** The dot that crops keep in view, with the presets as they will look. */
export function FocalField({ media, value, onChange }: FocalFieldProps) {
  const pictureRef = useRef<HTMLDivElement>(null)
  const dotRef = useRef<HTMLButtonElement>(null)
  const { data: presets = [] } = useQuery(deliveryQueries.presets())
  const point = value ?? center

  function follow({ clientX, clientY }: PointerEvent) {
    const { left, top, width, height } = pictureRef.current!.getBoundingClientRect()
    onChange(within({ x: (clientX - left) / width, y: (clientY - top) / height }))
  }

  function press(event: PointerEvent<HTMLDivElement>) {
    if (event.button !== 0) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    dotRef.current?.focus()
    follow(event)
  }

  function move(event: KeyboardEvent) {
    const direction = steps[event.key]
    if (!direction || event.altKey || event.ctrlKey || event.metaKey) return
    // The viewer would turn to the next item.
    event.preventDefault()
    event.stopPropagation()
    const distance = event.shiftKey ? largeStep : step
    onChange(within({ x: point.x + direction.x * distance, y: point.y + direction.y * distance }))
  }

  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium text-ink text-sm">Focal point</legend>
      <div
        ref={pictureRef}
        className="relative mx-auto w-fit max-w-full cursor-crosshair touch-none select-none overflow-hidden rounded-sm"
        onPointerDown={press}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && follow(event)}
      >
        <img
          src={media.thumbnailUrl}
          alt=""
          draggable={false}
          width={media.width ?? undefined}
          height={media.height ?? undefined}
          className="h-auto max-h-56 w-auto max-w-full"
        />
        <button
          ref={dotRef}
          type="button"
          tabIndex={0}
          role="slider"
          aria-label="Focal point"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percentOf(point.x)}
          aria-valuetext={`${percentOf(point.x)}% from the left, ${percentOf(point.y)}% from the top`}
          aria-description="Arrow keys move it. Crops keep this point in view."
          onKeyDown={move}
          className="absolute size-6 -translate-x-1/2 -translate-y-1/2 cursor-grab rounded-full border-2 border-white bg-accent shadow-float active:cursor-grabbing"
          style={{ left: `${point.x * 100}%`, top: `${point.y * 100}%` }}
        />
      </div>
      <div className="flex items-center justify-between gap-2">
        <p className="text-muted text-sm">Crops keep this point in view.</p>
        {value && (
          <Button size="sm" variant="quiet" onClick={() => onChange(null)}>
            Reset
          </Button>
        )}
      </div>
      <ul className="grid grid-cols-3 gap-2">
        {presets.slice(0, shownPresets).map((preset) => (
          <li key={preset.name} className="min-w-0" data-preset={preset.name}>
            <CroppedPicture media={media} wanted={preset} focalPoint={value} />
            <p className="mt-0.5 truncate text-muted text-xs">{preset.name}</p>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

const percentOf = (part: number) => Math.round(part * 100)
const clamp = (part: number) => Math.min(1, Math.max(0, Math.round(part * 10_000) / 10_000))
const within = ({ x, y }: FocalPoint) => ({ x: clamp(x), y: clamp(y) })
