import { defaultNamePattern, maxPatternLength, patternFacts } from '#shared/web-names.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Switch } from '#ui/forms/switch.tsx'
import { problemOf } from '../name-pattern.ts'

const words = patternFacts.map((fact) => `{${fact}}`).join(' ')

type PatternFieldProps = { pattern: string; onChange: (pattern: string) => void; placeholder?: string }

/** A pattern of web names. An empty one is that of the website, if there is one, or the default. */
export function PatternField({ pattern, onChange, placeholder = defaultNamePattern }: PatternFieldProps) {
  return (
    <Field
      label="Pattern"
      isOptional
      error={problemOf(pattern)}
      hint={`Your own words and ${words}. Lower case, joined by hyphens, up to 60 characters.`}
    >
      <Input
        value={pattern}
        maxLength={maxPatternLength}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  )
}

export function RenameAddressesSwitch(props: { checked: boolean; onCheckedChange: (isOn: boolean) => void }) {
  return (
    <Switch
      label="Also rename public addresses"
      hint="Earlier addresses redirect. The new ones are easy to guess."
      {...props}
    />
  )
}
