import { type Dispatch, type RefObject, type SetStateAction, useRef, useState } from 'react'
import { wantedWidth } from '#features/media/client/viewer/picture-sources.ts'
import { naturalSize, Picture } from '#features/media/client/viewer/picture-stage.tsx'
import { useElementSize } from '#features/media/client/viewer/use-element-size.ts'
import { useZoom } from '#features/media/client/viewer/use-zoom.ts'
import { useZoomKeys } from '#features/media/client/viewer/use-zoom-keys.ts'
import { type Frame, fitPicture, shownPercent, type View, wholePicture } from '#features/media/client/viewer/zoom.ts'
import { ZoomControls } from '#features/media/client/viewer/zoom-controls.tsx'
import { formatBytes } from '#shared/bytes.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { Select } from '#ui/forms/select.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import type { Duplicate } from '../contract.ts'
import type { MergeButtonType } from './duplicate-group.tsx'

type CompareDialogProps = {
  group: readonly Duplicate[]
  kept: Duplicate
  onKeep: (id: number) => void
  MergeButton: MergeButtonType
  onClose: () => void
}

const notSwiped = () => undefined

/** Two pictures of a group next to each other, which are zoomed and moved together by mouse, wheel, fingers and keys. */
export function CompareDialog({ group, kept, onKeep, MergeButton, onClose }: CompareDialogProps) {
  const others = group.filter(({ id }) => id !== kept.id)
  const [otherId, setOtherId] = useState(others[0]!.id)
  const other = others.find(({ id }) => id === otherId) ?? others[0]!
  const keepOther = () => {
    setOtherId(kept.id)
    onKeep(other.id)
  }
  return (
    <Dialog
      title="Compare"
      description="Zoom or move one picture, and the other follows."
      size="xl"
      isTopAligned
      onClose={onClose}
      footer={
        <>
          <Button onClick={keepOther}>Keep the other instead</Button>
          <MergeButton keptId={kept.id} otherIds={others.map(({ id }) => id)} onMerged={onClose} />
        </>
      }
    >
      <Stages key={[kept.id, other.id].sort().join()} kept={kept} other={other} />
      {/* Below, because a focused list would keep the keys that zoom to itself. */}
      {others.length > 1 && (
        <Select
          label="Compare with"
          variant="button"
          options={others.map(({ id, filename }) => ({ value: String(id), label: filename }))}
          value={String(other.id)}
          onValueChange={(value) => setOtherId(Number(value))}
          className="mt-3 sm:ml-auto sm:w-1/2 sm:pl-1"
        />
      )}
    </Dialog>
  )
}

function Stages({ kept, other }: { kept: Duplicate; other: Duplicate }) {
  const shared = useState<View>(wholePicture)
  const [keptRef, otherRef] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  // The smaller picture is shown as large as the other one, as it would be where it replaces it.
  const width = Math.max(naturalSize(kept).width, naturalSize(other).width)
  const left = useStage({ media: kept, width, stageRef: keptRef, shared })
  const right = useStage({ media: other, width, stageRef: otherRef, shared })
  const { zoom } = left
  useZoomKeys(zoom)
  return (
    <div className="group/stage relative grid grid-cols-2 gap-2 max-sm:grid-cols-1">
      <Stage media={kept} label="Keep" stageRef={keptRef} stage={left} />
      <Stage media={other} label="Other" stageRef={otherRef} stage={right} />
      {/* Above the captions. */}
      <div className="absolute inset-x-0 bottom-12">
        <ZoomControls
          percent={shownPercent(zoom.view, left.frame)}
          onZoomIn={() => zoom.zoomBy(1.5)}
          onZoomOut={() => zoom.zoomBy(1 / 1.5)}
          onShowWhole={zoom.showWhole}
        />
      </div>
    </div>
  )
}

type StageOptions = {
  media: Duplicate
  width: number
  stageRef: RefObject<HTMLDivElement | null>
  shared: readonly [View, Dispatch<SetStateAction<View>>]
}

function useStage({ media, width, stageRef, shared }: StageOptions) {
  const size = useElementSize(stageRef)
  const own = naturalSize(media)
  const natural = { width, height: (width * own.height) / own.width }
  const frame: Frame = { natural, stage: size ?? { width: 1, height: 1 } }
  return { frame, zoom: useZoom({ stageRef, frame, onSwipe: notSwiped, shared }), isMeasured: size !== undefined }
}

type StageProps = {
  media: Duplicate
  label: string
  stageRef: RefObject<HTMLDivElement | null>
  stage: ReturnType<typeof useStage>
}

function Stage({ media, label, stageRef, stage: { frame, zoom, isMeasured } }: StageProps) {
  const fitted = fitPicture(frame)
  const { scale, x, y } = zoom.view
  const { width, height, size, filename } = media
  return (
    <figure className="min-w-0">
      <div
        ref={stageRef}
        {...zoom.handlers}
        data-theme="dark"
        className={classNames(
          'relative h-[min(30rem,52dvh)] touch-none select-none overflow-hidden rounded-md bg-canvas max-sm:h-[28dvh]',
          zoom.isMagnified && (zoom.isHeld ? 'cursor-grabbing' : 'cursor-grab'),
        )}
      >
        {isMeasured && (
          <div
            className="absolute top-1/2 left-1/2 will-change-transform"
            style={{
              width: fitted.width,
              height: fitted.height,
              transform: `translate(-50%, -50%) translate(${x}px, ${y}px) scale(${scale})`,
            }}
          >
            <Picture media={media} sizes={wantedWidth(fitted.width, scale)} />
          </div>
        )}
      </div>
      <figcaption className="mt-1.5 min-w-0 text-sm">
        <span className="block truncate" title={filename}>
          <span className="text-muted">{label}:</span> {filename}
        </span>
        <span className="figures block text-muted text-xs">
          {width && height ? `${width} × ${height} · ` : ''}
          {formatBytes(size)} · {media.mimeType.replace(/^image\//, '').toUpperCase()}
        </span>
      </figcaption>
    </figure>
  )
}
