import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { emptyPreset, isIncomplete, PresetFields } from '#features/delivery/client/preset-form.tsx'
import { PresetList } from '#features/delivery/client/preset-list.tsx'
import type { Preset } from '#features/delivery/contract.ts'
import { maxPresets } from '#features/delivery/limits.ts'
import { Button } from '#ui/button.tsx'

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
        <PresetList
          presets={presets}
          removeLabel={(name) => `Remove ${name}`}
          onEdit={(preset) => edit(preset, false)}
          onRemove={({ name: removed }) => onChange(presets.filter(({ name }) => name !== removed))}
        />
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
