import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import { IconButton } from '#ui/icon-button.tsx'
import type { Preset } from '../contract.ts'
import { describePreset } from './size-options.ts'

type PresetListProps<Each> = {
  presets: Each[]
  removeLabel: (name: string) => string
  onEdit: (preset: Each) => void
  onRemove: (preset: Each) => void
}

/** Presets with their sizes, each with a button to edit and to remove it. */
export function PresetList<Each extends Preset>({ presets, removeLabel, onEdit, onRemove }: PresetListProps<Each>) {
  return (
    <ul className="divide-y divide-line">
      {presets.map((preset) => (
        <li key={preset.name} className="flex items-center gap-3 py-2">
          <div className="min-w-0 grow">
            <p className="truncate font-medium">{preset.name}</p>
            <p className="figures truncate text-muted text-sm">{describePreset(preset)}</p>
          </div>
          <IconButton label={`Edit ${preset.name}`} icon={<Pencil />} size="sm" onClick={() => onEdit(preset)} />
          <IconButton label={removeLabel(preset.name)} icon={<Trash2 />} size="sm" onClick={() => onRemove(preset)} />
        </li>
      ))}
    </ul>
  )
}
