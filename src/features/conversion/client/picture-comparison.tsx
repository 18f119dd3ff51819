import MoveHorizontal from 'lucide-react/icons/move-horizontal'
import { type PointerEvent, useRef, useState } from 'react'
import { transparencyGrid } from '#features/media/client/viewer/transparency-classes.ts'
import { useElementSize } from '#features/media/client/viewer/use-element-size.ts'
import { fitPicture, moveBy, type Size, type View, wholePicture, zoomTo } from '#features/media/client/viewer/zoom.ts'
import { classNames } from '#ui/class-names.ts'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'

type Side = { url: string | undefined; label: string }
type PictureComparisonProps = {
  natural: Size
  before: Side
  after: Side
  mayBeTransparent: boolean
  dividerLabel: string
}

/** While zoomed in, a press within this distance drags the divider instead of the image. */
const dividerGripPx = 28

/** Two versions of one image on top of each other with a divider to drag, fitted to the stage or at full size. */
export function PictureComparison(props: PictureComparisonProps) {
  const { natural, before, after, mayBeTransparent, dividerLabel } = props
  const stageRef = useRef<HTMLDivElement>(null)
  const stage = useElementSize(stageRef) ?? { width: 1, height: 1 }
  const [percent, setPercent] = useState(50)
  const [view, setView] = useState<View>(wholePicture)
  const drag = useRef<{ grip: 'divider' | 'picture'; x: number; y: number }>(undefined)
  const frame = { natural, stage }
  const fitted = fitPicture(frame)
  const isWhole = view.scale === 1
  const hasMorePixels = natural.width > fitted.width * 1.1

  const positionOf = (event: PointerEvent) => {
    const { left, top, width } = stageRef.current!.getBoundingClientRect()
    return { x: event.clientX - left, y: event.clientY - top, share: ((event.clientX - left) / width) * 100 }
  }
  const press = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    const { x, y, share } = positionOf(event)
    const isOnDivider = Math.abs(x - (percent / 100) * stage.width) < dividerGripPx
    drag.current = { grip: isWhole || isOnDivider ? 'divider' : 'picture', x, y }
    if (drag.current.grip === 'divider') setPercent(clampPercent(share))
  }
  const move = (event: PointerEvent) => {
    if (!drag.current) return
    const { x, y, share } = positionOf(event)
    const by = { x: x - drag.current.x, y: y - drag.current.y }
    if (drag.current.grip === 'divider') setPercent(clampPercent(share))
    else setView(moveBy(view, by, frame))
    drag.current = { ...drag.current, x, y }
  }
  const zoomToPixels = () => zoomTo(view, natural.width / fitted.width, { x: 0, y: 0 }, frame)
  const release = () => {
    drag.current = undefined
  }

  const style = {
    width: fitted.width,
    height: fitted.height,
    transform: `translate(-50%, -50%) translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
  }
  const picture = classNames('absolute top-1/2 left-1/2 max-w-none', mayBeTransparent && transparencyGrid)
  return (
    <div
      ref={stageRef}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
      data-theme="dark"
      className={classNames(
        'relative h-[min(24rem,38dvh)] shrink-0 touch-none select-none overflow-hidden rounded-md bg-canvas',
        isWhole ? 'cursor-col-resize' : 'cursor-grab active:cursor-grabbing',
      )}
    >
      <img src={before.url} alt={before.label} draggable={false} className={picture} style={style} />
      {after.url && (
        <div className="absolute inset-0 overflow-hidden bg-canvas" style={{ clipPath: `inset(0 0 0 ${percent}%)` }}>
          <img src={after.url} alt={after.label} draggable={false} className={picture} style={style} />
        </div>
      )}
      <Label className="left-2.5">{before.label}</Label>
      <Label className="right-2.5">{after.label}</Label>
      <input
        type="range"
        min={0}
        max={100}
        value={Math.round(percent)}
        onChange={({ target }) => setPercent(Number(target.value))}
        aria-label={dividerLabel}
        className="peer sr-only"
      />
      <div
        aria-hidden="true"
        className={classNames(
          'pointer-events-none absolute inset-y-0 w-0.5 -translate-x-1/2 bg-on-scrim shadow-float',
          'peer-focus-visible:[&>span]:outline-2 peer-focus-visible:[&>span]:outline-focus',
          'peer-focus-visible:[&>span]:outline-offset-2',
        )}
        style={{ left: `${percent}%` }}
      >
        <span
          className={classNames(
            'absolute top-1/2 left-1/2 grid size-9 -translate-1/2 place-items-center',
            'rounded-full bg-on-scrim text-canvas shadow-float',
          )}
        >
          <MoveHorizontal />
        </span>
      </div>
      {hasMorePixels && (
        <div
          // A press on the control must not start a drag.
          onPointerDown={(event) => event.stopPropagation()}
          className="absolute inset-x-0 bottom-2.5 mx-auto w-max cursor-default rounded-sm bg-overlay/90 backdrop-blur-sm"
        >
          <SegmentedControl
            label="Size"
            value={isWhole ? 'whole' : 'pixels'}
            onValueChange={(wanted) => setView(wanted === 'whole' ? wholePicture : zoomToPixels())}
            segments={[
              { value: 'whole', label: 'Fit to screen' },
              { value: 'pixels', label: 'Actual size' },
            ]}
          />
        </div>
      )}
    </div>
  )
}

function Label({ className, children }: { className: string; children: string }) {
  return (
    <span
      className={classNames(
        'figures pointer-events-none absolute top-2.5 rounded-sm bg-scrim px-2 py-1 text-on-scrim text-xs',
        className,
      )}
    >
      {children}
    </span>
  )
}

const clampPercent = (share: number) => Math.min(100, Math.max(0, share))
