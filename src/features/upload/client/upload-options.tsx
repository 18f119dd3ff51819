import { BeforeAndAfter } from '#features/media/client/before-and-after.tsx'
import { PatternField } from '#features/media/client/pattern-field.tsx'
import { useServices } from '#features/media/client/use-services.ts'
import { defaultNamePattern } from '#shared/web-names.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Switch } from '#ui/forms/switch.tsx'
import { maxPrefixLength } from '../limits.ts'
import { exampleName, type UploadChoices, webNamesFor } from './upload-choices.ts'

type UploadOptionsProps = {
  choices: UploadChoices
  onChange: (change: Partial<UploadChoices>) => void
  /** The names of the files, for examples. */
  filenames: readonly string[]
  /** The naming of the collection that the files are added to. */
  naming: CollectionNaming
}

type CollectionNaming = { pattern?: string; website?: string; collection?: string }

export function UploadOptions({ choices, onChange, filenames, naming }: UploadOptionsProps) {
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
        onCheckedChange={(isOn) => onChange({ hasCustomNaming: isOn, ...(isOn && { hasWebNames: false }) })}
      />
      {choices.hasCustomNaming && (
        <Field
          label="Prefix"
          isOptional
          hint={
            <span className="wrap-anywhere line-clamp-2">For example {exampleName(choices.prefix, filenames[0])}</span>
          }
        >
          <Input
            value={choices.prefix}
            maxLength={maxPrefixLength}
            autoComplete="off"
            onChange={({ target }) => onChange({ prefix: target.value })}
          />
        </Field>
      )}
      <Switch
        label="Web names"
        hint="Short lower-case names that search engines read."
        checked={choices.hasWebNames}
        onCheckedChange={(isOn) => onChange({ hasWebNames: isOn, ...(isOn && { hasCustomNaming: false }) })}
      />
      {choices.hasWebNames && (
        <>
          <PatternField
            pattern={choices.pattern}
            placeholder={naming.pattern}
            onChange={(pattern) => onChange({ pattern })}
          />
          <WebNameExamples filenames={filenames} naming={{ ...naming, ...patternOf(choices, naming) }} />
        </>
      )}
    </fieldset>
  )
}

const patternOf = ({ pattern }: UploadChoices, naming: CollectionNaming) => ({
  pattern: pattern.trim() || naming.pattern || defaultNamePattern,
})

const shownExamples = 4

type WebNameExamplesProps = { filenames: readonly string[]; naming: CollectionNaming & { pattern: string } }

/** The first names, before and after. A name that the library has already gets a number. */
function WebNameExamples({ filenames, naming }: WebNameExamplesProps) {
  const shown = filenames.slice(0, shownExamples)
  if (shown.length === 0) return null
  const names = webNamesFor(shown, naming)
  const hidden = filenames.length - shown.length
  return (
    <div className="space-y-1 text-sm">
      <BeforeAndAfter names={shown.map((from, index) => ({ key: index, from, to: names[index]! }))} />
      {hidden > 0 && <p className="text-muted">and {hidden.toLocaleString('en')} more</p>}
    </div>
  )
}
