import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { useElementSize } from '#features/media/client/viewer/use-element-size.ts'
import { turned } from '#shared/picture-edit.ts'
import { classNames } from '#ui/class-names.ts'
import { type Draft, type Handle, moveCrop, resizeCrop } from './crop-steps.ts'

type Size = { width: number; height: number }
type CropStageProps = { src: string; picture: Size; draft: Draft; onChange: (draft: Draft) => void }

/** Room for the handles at the edges of the stage. */
const marginPx = 28
const middle: Handle = { x: 0, y: 0 }
const corners: [Handle, string, string][] = [
  [{ x: -1, y: -1 }, 'Top left corner', 'cursor-nwse-resize'],
  [{ x: 1, y: -1 }, 'Top right corner', 'cursor-nesw-resize'],
  [{ x: -1, y: 1 }, 'Bottom left corner', 'cursor-nesw-resize'],
  [{ x: 1, y: 1 }, 'Bottom right corner', 'cursor-nwse-resize'],
]
const edges: [Handle, string][] = [
  [{ x: 0, y: -1 }, 'cursor-ns-resize inset-x-6 -top-3 h-6'],
  [{ x: 0, y: 1 }, 'cursor-ns-resize inset-x-6 -bottom-3 h-6'],
  [{ x: -1, y: 0 }, 'cursor-ew-resize inset-y-6 -left-3 w-6'],
  [{ x: 1, y: 0 }, 'cursor-ew-resize inset-y-6 -right-3 w-6'],
]

const arrows: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/** The picture as the edit will show it, with the crop to drag. The preview only transforms the image, so it is instant. */
export function CropStage({ src, picture, draft, onChange }: CropStageProps) {
  const stageRef = useRef<HTMLDivElement>(null)
  const stage = useElementSize(stageRef)
  const drag = useRef<{ handle: Handle; x: number; y: number; draft: Draft }>(undefined)
  const size = turned(picture, draft.turn)
  const room = { width: (stage?.width ?? 1) - 2 * marginPx, height: (stage?.height ?? 1) - 2 * marginPx }
  const scale = Math.max(0.001, Math.min(room.width / size.width, room.height / size.height, 2))
  const { crop } = draft

  const apply = (from: Draft, handle: Handle, by: { x: number; y: number }) =>
    onChange(handle.x === 0 && handle.y === 0 ? moveCrop(picture, from, by) : resizeCrop(picture, from, handle, by))
  const dragOf = (handle: Handle) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      event.stopPropagation()
      event.currentTarget.setPointerCapture(event.pointerId)
      drag.current = { handle, x: event.clientX, y: event.clientY, draft }
    },
    onPointerMove(event: PointerEvent) {
      const begun = drag.current
      if (!begun) return
      apply(begun.draft, begun.handle, {
        x: (event.clientX - begun.x) / scale,
        y: (event.clientY - begun.y) / scale,
      })
    },
    onPointerUp: endDrag,
    onPointerCancel: endDrag,
  })
  function endDrag() {
    drag.current = undefined
  }
  const keysOf = (handle: Handle) => (event: KeyboardEvent) => {
    const arrow = arrows[event.key]
    if (!arrow) return
    event.preventDefault()
    event.stopPropagation()
    const step = Math.max(1, Math.round((event.shiftKey ? 10 : 1) / Math.min(1, scale)))
    apply(draft, handle, { x: arrow.x * step, y: arrow.y * step })
  }

  return (
    <div ref={stageRef} className="relative min-h-0 grow touch-none select-none overflow-hidden">
      {stage && (
        <>
          <img
            src={src}
            alt=""
            draggable={false}
            className="absolute top-1/2 left-1/2 max-w-none"
            style={{
              width: picture.width * scale,
              height: picture.height * scale,
              // The last step of a transform is applied first.
              transform: [
                'translate(-50%, -50%)',
                `rotate(${draft.straighten}deg)`,
                `scale(${draft.flipHorizontal ? -1 : 1}, ${draft.flipVertical ? -1 : 1})`,
                `rotate(${draft.turn}deg)`,
              ].join(' '),
            }}
          />
          <div
            className="absolute shadow-[0_0_0_200vmax_rgb(0_0_0/0.6)]"
            style={{
              left: stage.width / 2 + (crop.left - size.width / 2) * scale,
              top: stage.height / 2 + (crop.top - size.height / 2) * scale,
              width: crop.width * scale,
              height: crop.height * scale,
            }}
          >
            <button
              type="button"
              tabIndex={0}
              aria-label={`Crop area, ${crop.width} × ${crop.height} pixels. Arrow keys move it.`}
              onKeyDown={keysOf(middle)}
              {...dragOf(middle)}
              className="absolute inset-0 cursor-move outline-1 outline-on-scrim/80 outline-solid"
            >
              <Thirds />
            </button>
            {edges.map(([handle, position]) => (
              <div
                key={position}
                aria-hidden="true"
                {...dragOf(handle)}
                className={classNames('absolute touch-none', position)}
              />
            ))}
            {corners.map(([handle, label, cursor]) => (
              <button
                key={label}
                type="button"
                tabIndex={0}
                aria-label={`${label}. Arrow keys resize the crop.`}
                onKeyDown={keysOf(handle)}
                {...dragOf(handle)}
                className={classNames(
                  'absolute grid size-10 -translate-1/2 touch-none place-items-center rounded-full',
                  'after:size-3.5 after:rounded-full after:border-2 after:border-on-scrim after:bg-accent',
                  cursor,
                )}
                style={{ left: handle.x < 0 ? '0%' : '100%', top: handle.y < 0 ? '0%' : '100%' }}
              />
            ))}
          </div>
        </>
      )}
    </div>
  )
}

function Thirds() {
  const line = 'absolute bg-on-scrim/35'
  return (
    <span aria-hidden="true" className="pointer-events-none">
      {['33.33%', '66.66%'].map((place) => (
        <span key={place}>
          <span className={classNames(line, 'inset-y-0 w-px')} style={{ left: place }} />
          <span className={classNames(line, 'inset-x-0 h-px')} style={{ top: place }} />
        </span>
      ))}
    </span>
  )
}
