import { useServices } from '#features/media/client/use-services.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Switch } from '#ui/forms/switch.tsx'
import { maxPrefixLength } from '../limits.ts'
import { exampleName, type UploadChoices } from './upload-choices.ts'

type UploadOptionsProps = {
  choices: UploadChoices
  onChange: (change: Partial<UploadChoices>) => void
  /** The first file's name, for the example. */
  filename: string | undefined
}

export function UploadOptions({ choices, onChange, filename }: UploadOptionsProps) {
  const { hasAi } = useServices()
  return (
    <fieldset className="flex flex-col gap-3.5">
      <legend className="sr-only">Options</legend>
      <Switch
        label="AI analysis"
        hint={hasAi ? 'Adds descriptions and tags after upload.' : 'AI is not set up on this server.'}
        checked={choices.hasAi}
        onCheckedChange={(isOn) => onChange({ hasAi: isOn })}
      />
      <Switch
        label="Keep original WebP filenames"
        hint="When off, files are renamed to the date plus a number."
        checked={choices.keepsWebpNames}
        onCheckedChange={(keepsWebpNames) => onChange({ keepsWebpNames })}
      />
      <Switch
        label="Custom naming"
        hint="A prefix, the original name and a number."
        checked={choices.hasCustomNaming}
        onCheckedChange={(hasCustomNaming) => onChange({ hasCustomNaming })}
      />
      {choices.hasCustomNaming && (
        <Field
          label="Prefix"
          isOptional
          hint={<span className="wrap-anywhere line-clamp-2">For example {exampleName(choices.prefix, filename)}</span>}
        >
          <Input
            value={choices.prefix}
            maxLength={maxPrefixLength}
            autoComplete="off"
            onChange={({ target }) => onChange({ prefix: target.value })}
          />
        </Field>
      )}
    </fieldset>
  )
}
