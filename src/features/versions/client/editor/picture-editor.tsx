// The icons are named after the axis that they draw.
import MirrorUpDown from 'lucide-react/icons/flip-horizontal-2'
import MirrorLeftRight from 'lucide-react/icons/flip-vertical-2'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import RotateCw from 'lucide-react/icons/rotate-cw'
import X from 'lucide-react/icons/x'
import { useRef, useState } from 'react'
import type { Media } from '#features/media/contract.ts'
import { newRunId } from '#platform/client/run-id.ts'
import { editedSize, maxStraighten } from '#shared/picture-edit.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Select } from '#ui/forms/select.tsx'
import { Slider } from '#ui/forms/slider.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { Modal } from '#ui/layers/modal.tsx'
import { useEditPicture } from '../mutations.ts'
import { CropStage } from './crop-stage.tsx'
import { beginDraft, chooseRatio, type Draft, flip, hasChanges, straightenTo, toEdit, turnBy } from './crop-steps.ts'

/** Large enough for any screen; the server edits the original itself. */
const previewWidth = 1920

/** Crops, turns, straightens, flips and resizes an image. */
export function PictureEditor({ media, onClose }: { media: Media; onClose: () => void }) {
  const picture = { width: media.width ?? 1, height: media.height ?? 1 }
  const [draft, setDraft] = useState(() => beginDraft(picture))
  const [isAsking, setIsAsking] = useState(false)
  const edit = useEditPicture()
  const runIdOf = useRunIds()
  const isChanged = hasChanges(picture, draft)
  const close = () => (isChanged ? setIsAsking(true) : onClose())
  const save = (saveAs: 'version' | 'duplicate') => {
    const request = { ...toEdit(picture, draft), id: media.id, saveAs }
    edit.mutate({ ...request, runId: runIdOf(request) }, { onSuccess: onClose })
  }
  return (
    <Modal
      onClose={close}
      isLocked={edit.isPending}
      label="Edit image"
      description={media.filename}
      theme="dark"
      className="inset-0 flex animate-fade-in flex-col bg-canvas"
    >
      <div className="flex h-14 shrink-0 items-center gap-2 px-2">
        <IconButton
          label="Cancel"
          icon={<X className="size-5!" />}
          hasTooltip={false}
          disabled={edit.isPending}
          onClick={close}
        />
        <p className="min-w-0 grow truncate pl-1 text-muted text-sm max-sm:invisible">{media.filename}</p>
        <Button isInactive={!isChanged || edit.isPending} onClick={() => save('duplicate')}>
          Save as Duplicate
        </Button>
        <Button
          variant="primary"
          isInactive={!isChanged}
          isPending={edit.isPending}
          onClick={() => save('version')}
          className="mr-1"
        >
          Save
        </Button>
      </div>
      <div className="flex min-h-0 grow max-md:flex-col">
        <CropStage src={`${media.originalUrl}?w=${previewWidth}`} picture={picture} draft={draft} onChange={setDraft} />
        <Controls picture={picture} draft={draft} onChange={setDraft} />
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="Discard your changes?"
        description={`Your changes to "${media.filename}" haven't been saved.`}
        confirmLabel="Discard"
        cancelLabel="Keep editing"
        onConfirm={onClose}
      />
    </Modal>
  )
}

/** The same request, sent again after a lost response, has the same id; another one has its own. */
function useRunIds() {
  const ids = useRef(new Map<string, string>())
  return (request: object) => {
    const key = JSON.stringify(request)
    const id = ids.current.get(key) ?? newRunId()
    ids.current.set(key, id)
    return id
  }
}

type ControlsProps = {
  picture: { width: number; height: number }
  draft: Draft
  onChange: (draft: Draft) => void
}

const shapes = {
  free: 'Free',
  original: 'Original',
  '1:1': '1:1',
  '4:3': '4:3',
  '3:2': '3:2',
  '16:9': '16:9',
  '1200:630': '1200 × 630',
}

function Controls({ picture, draft, onChange }: ControlsProps) {
  const [shape, setShape] = useState('free')
  return (
    <div className="flex shrink-0 flex-col gap-5 overflow-y-auto bg-surface p-5 max-md:max-h-[42dvh] max-md:gap-4 max-md:pb-[max(1.25rem,env(safe-area-inset-bottom))] md:w-80 md:border-line md:border-l">
      <Field label="Shape">
        <Select
          options={Object.entries(shapes).map(([value, label]) => ({ value, label }))}
          value={shape}
          onValueChange={(value) => {
            setShape(value)
            onChange(chooseRatio(picture, draft, ratioOf(value, picture, draft)))
          }}
        />
      </Field>
      <div className="flex items-center gap-1">
        <IconButton label="Rotate left" icon={<RotateCcw />} onClick={() => onChange(turnBy(picture, draft, -90))} />
        <IconButton label="Rotate right" icon={<RotateCw />} onClick={() => onChange(turnBy(picture, draft, 90))} />
        <IconButton
          label="Flip horizontally"
          icon={<MirrorLeftRight />}
          aria-pressed={draft.flipHorizontal}
          onClick={() => onChange(flip(picture, draft, 'horizontal'))}
        />
        <IconButton
          label="Flip vertically"
          icon={<MirrorUpDown />}
          aria-pressed={draft.flipVertical}
          onClick={() => onChange(flip(picture, draft, 'vertical'))}
        />
        <Button
          variant="quiet"
          className="ml-auto"
          isInactive={!hasChanges(picture, draft)}
          onClick={() => {
            setShape('free')
            onChange(beginDraft(picture))
          }}
        >
          Reset
        </Button>
      </div>
      <Slider
        label="Straighten"
        value={draft.straighten}
        min={-maxStraighten}
        max={maxStraighten}
        step={0.5}
        formatValue={(value) => `${value}°`}
        onValueChange={(value) => onChange(straightenTo(picture, draft, value))}
      />
      <SizeFields picture={picture} draft={draft} onChange={onChange} />
    </div>
  )
}

/** Upright pictures get upright shapes, except for link previews. */
function ratioOf(shape: string, picture: ControlsProps['picture'], { turn }: Draft) {
  if (shape === 'free') return null
  const isSideways = turn % 180 !== 0
  const ratio = isSideways ? picture.height / picture.width : picture.width / picture.height
  if (shape === 'original') return ratio
  const [width, height] = shape.split(':').map(Number) as [number, number]
  return ratio < 1 && shape !== '1200:630' ? height / width : width / height
}

/** Width and height belong together, so typing one changes the other. */
function SizeFields({ picture, draft, onChange }: ControlsProps) {
  const size = editedSize(picture, toEdit(picture, draft))
  const { crop } = draft
  const [typed, setTyped] = useState<{ side: 'width' | 'height'; text: string }>()
  const change = (side: 'width' | 'height', text: string) => {
    setTyped({ side, text })
    const wanted = Math.round(Number(text))
    if (wanted < 1 || wanted > crop[side]) return
    const longest = Math.max(crop.width, crop.height)
    onChange({ ...draft, longestSide: Math.max(1, Math.round((wanted / crop[side]) * longest)) })
  }
  return (
    <div className="grid grid-cols-2 gap-3">
      {(['width', 'height'] as const).map((side) => (
        <Field
          key={side}
          label={side === 'width' ? 'Width' : 'Height'}
          hint={side === 'width' ? `Up to ${crop.width}` : `Up to ${crop.height}`}
        >
          <Input
            type="number"
            inputMode="numeric"
            min={1}
            max={crop[side]}
            value={typed?.side === side ? typed.text : size[side]}
            onChange={({ target }) => change(side, target.value)}
            onBlur={() => setTyped(undefined)}
            trailing="px"
          />
        </Field>
      ))}
    </div>
  )
}
