import { type FormEvent, useState } from 'react'
import { messageOf } from '#platform/client/call.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { Select } from '#ui/forms/select.tsx'
import type { Preset } from '../contract.ts'
import { maxPresetNameLength, maxQuality, minQuality, presetFormats } from '../limits.ts'
import { useSavePreset } from './mutations.ts'

const formatNames: Record<Preset['format'], string> = {
  auto: 'Best for the browser',
  original: 'Original format',
  webp: 'WebP',
  avif: 'AVIF',
  jpg: 'JPEG',
  png: 'PNG',
}
const fitSegments = [
  { value: 'cover', label: 'Crop to fill' },
  { value: 'contain', label: 'Fit inside' },
] as const
export const emptyPreset: Preset = { name: '', width: null, height: null, fit: 'cover', format: 'auto', quality: null }

export const isIncomplete = ({ name, width, height }: Preset) => name === '' || (!width && !height)

/** Without a preset, the form of a new one. */
export function PresetForm({ preset, onDone }: { preset?: Preset; onDone: () => void }) {
  const [draft, setDraft] = useState(preset ?? emptyPreset)
  const save = useSavePreset()
  const change = (changes: Partial<Preset>) => setDraft({ ...draft, ...changes })
  const isMissing = isIncomplete(draft)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isMissing) save.mutate({ preset: draft, isNew: !preset }, { onSuccess: onDone })
  }
  return (
    <form noValidate onSubmit={submit} className="space-y-4">
      <PresetFields draft={draft} isNew={!preset} onChange={change} />
      {save.error && <Alert>{messageOf(save.error, "Couldn't save the preset. Please try again.")}</Alert>}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={save.isPending} isInactive={isMissing}>
          {preset ? 'Save' : 'Add preset'}
        </Button>
      </div>
    </form>
  )
}

type PresetFieldsProps = { draft: Preset; isNew: boolean; onChange: (changes: Partial<Preset>) => void }

/** The name of an existing preset is a part of its addresses and stays. */
export function PresetFields({ draft, isNew, onChange: change }: PresetFieldsProps) {
  return (
    <div className="space-y-4">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        <Field label="Name" className="max-sm:col-span-2">
          <Input
            autoFocus={isNew}
            value={draft.name}
            readOnly={!isNew}
            maxLength={maxPresetNameLength}
            autoComplete="off"
            onChange={({ target }) => change({ name: target.value.toLowerCase().replace(/[^a-z0-9-]/g, '') })}
          />
        </Field>
        {(['width', 'height'] as const).map((edge) => (
          <Field key={edge} label={edge === 'width' ? 'Width' : 'Height'}>
            <NumberInput value={draft[edge]} unit="px" onChange={(value) => change({ [edge]: value })} />
          </Field>
        ))}
      </div>
      <SegmentedControl label="Fit" value={draft.fit} onValueChange={(fit) => change({ fit })} segments={fitSegments} />
      <div className="grid grid-cols-2 gap-3">
        <Field label="Format">
          <Select
            value={draft.format}
            onValueChange={(format) => change({ format: format as Preset['format'] })}
            options={presetFormats.map((value) => ({ value, label: formatNames[value] }))}
          />
        </Field>
        <Field label="Quality" isOptional hint={`${minQuality} to ${maxQuality}`}>
          <NumberInput value={draft.quality} onChange={(quality) => change({ quality })} />
        </Field>
      </div>
    </div>
  )
}

type NumberInputProps = { value: number | null; unit?: string; onChange: (value: number | null) => void }

function NumberInput({ value, unit, onChange }: NumberInputProps) {
  return (
    <Input
      inputMode="numeric"
      value={value ?? ''}
      trailing={unit}
      onChange={({ target }) => onChange(Number(target.value.replace(/\D/g, '').slice(0, 5)) || null)}
    />
  )
}
