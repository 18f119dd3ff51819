import Pencil from 'lucide-react/icons/pencil'
import Plus from 'lucide-react/icons/plus'
import Trash2 from 'lucide-react/icons/trash-2'
import { useState } from 'react'
import { emptyPreset, isIncomplete, PresetFields } from '#features/delivery/client/preset-form.tsx'
import { describePreset } from '#features/delivery/client/size-options.ts'
import type { Preset } from '#features/delivery/contract.ts'
import { maxPresets } from '#features/delivery/limits.ts'
import { Button } from '#ui/button.tsx'
import { IconButton } from '#ui/icon-button.tsx'

type PresetsFieldProps = { presets: Preset[]; onChange: (presets: Preset[]) => void; error?: string }

/** Image sizes for items in collections of the website; they are saved with the website. */
export function PresetsField({ presets, onChange, error }: PresetsFieldProps) {
  const [draft, setDraft] = useState<Preset>()
  const [isNew, setIsNew] = useState(false)
  const edit = (preset: Preset, isNewPreset: boolean) => {
    setDraft(preset)
    setIsNew(isNewPreset)
  }
  const isTaken = isNew && presets.some(({ name }) => name === draft?.name)
  const problem = isTaken ? 'The website already has a preset with this name.' : error

  function keep(preset: Preset) {
    onChange(isNew ? [...presets, preset] : presets.map((each) => (each.name === preset.name ? preset : each)))
    setDraft(undefined)
  }

  return (
    <section aria-labelledby="website-presets" className="space-y-2">
      <h3 id="website-presets" className="font-medium text-sm">
        Presets
      </h3>
      <p className="text-muted text-sm">
        Image sizes with a name, in addition to your own, for items in collections of this website.
      </p>
      {problem && (
        <p role="alert" className="text-danger text-sm">
          {problem}
        </p>
      )}
      {presets.length > 0 && (
        <ul className="divide-y divide-line">
          {presets.map((preset) => (
            <li key={preset.name} className="flex items-center gap-3 py-2">
              <div className="min-w-0 grow">
                <p className="truncate font-medium">{preset.name}</p>
                <p className="figures truncate text-muted text-sm">{describePreset(preset)}</p>
              </div>
              <IconButton
                label={`Edit ${preset.name}`}
                icon={<Pencil />}
                size="sm"
                onClick={() => edit(preset, false)}
              />
              <IconButton
                label={`Remove ${preset.name}`}
                icon={<Trash2 />}
                size="sm"
                onClick={() => onChange(presets.filter(({ name }) => name !== preset.name))}
              />
            </li>
          ))}
        </ul>
      )}
      {draft ? (
        <div className="space-y-4 rounded-md border border-line p-3">
          <PresetFields
            draft={draft}
            isNew={isNew}
            onChange={(changes) => setDraft((current) => current && { ...current, ...changes })}
          />
          <div className="flex justify-end gap-2">
            <Button onClick={() => setDraft(undefined)}>Cancel</Button>
            <Button disabled={isIncomplete(draft) || isTaken} onClick={() => keep(draft)}>
              {isNew ? 'Add preset' : 'Change preset'}
            </Button>
          </div>
        </div>
      ) : (
        presets.length < maxPresets && (
          <Button icon={<Plus />} onClick={() => edit(emptyPreset, true)}>
            New preset
          </Button>
        )
      )}
    </section>
  )
}
