import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Switch } from '#ui/forms/switch.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { maxWebsiteNameLength, maxWordsLength } from '../limits.ts'
import { LanguagesField } from './languages-field.tsx'
import { previewPattern, type WebsiteForm } from './website-form.ts'

type FieldsProps = {
  form: WebsiteForm
  change: (changes: Partial<WebsiteForm>) => void
  errorOf: (name: keyof WebsiteForm) => string | undefined
}

export function AddressFields({ form, change, errorOf }: FieldsProps) {
  return (
    <div className="space-y-4">
      <Field label="Name" error={errorOf('name')}>
        <Input
          value={form.name}
          maxLength={maxWebsiteNameLength}
          required
          onChange={({ target }) => change({ name: target.value })}
        />
      </Field>
      <Field label="Address" isOptional error={errorOf('url')}>
        <Input
          value={form.url}
          dir="ltr"
          inputMode="url"
          placeholder="https://"
          maxLength={2000}
          spellCheck={false}
          onChange={({ target }) => change({ url: target.value })}
        />
      </Field>
      <LanguagesField
        languages={form.languages}
        error={errorOf('languages')}
        onChange={(languages) => change({ languages })}
      />
    </div>
  )
}

export function WordFields({ form, change, errorOf }: FieldsProps) {
  const { name, problem } = previewPattern(form)
  return (
    <div className="space-y-4">
      <Field label="Tone" isOptional hint="For example, friendly and short" error={errorOf('tone')}>
        <Input value={form.tone} maxLength={maxWordsLength} onChange={({ target }) => change({ tone: target.value })} />
      </Field>
      <Field label="Audience" isOptional hint="For example, families who camp" error={errorOf('audience')}>
        <Input
          value={form.audience}
          maxLength={maxWordsLength}
          onChange={({ target }) => change({ audience: target.value })}
        />
      </Field>
      <Field
        label="Keywords"
        isOptional
        hint="Words that names and descriptions use where they fit, separated by commas"
        error={errorOf('keywords')}
      >
        <Textarea
          rows={2}
          value={form.keywords}
          maxLength={maxWordsLength}
          onChange={({ target }) => change({ keywords: target.value })}
        />
      </Field>
      <Field
        label="Pattern of names"
        isOptional
        hint={
          name ? `For example, ${name}` : 'Made of {website}, {subject}, {collection}, {date}, {n} and your own words'
        }
        error={errorOf('namePattern') ?? problem}
      >
        <Input
          value={form.namePattern}
          dir="ltr"
          placeholder="{website}-{subject}"
          maxLength={200}
          spellCheck={false}
          onChange={({ target }) => change({ namePattern: target.value })}
        />
      </Field>
    </div>
  )
}

export function RightsFields({ form, change, errorOf }: FieldsProps) {
  return (
    <div className="space-y-4">
      <Field label="Creator" isOptional error={errorOf('creator')}>
        <Input
          value={form.creator}
          maxLength={maxWordsLength}
          onChange={({ target }) => change({ creator: target.value })}
        />
      </Field>
      <Field label="License" isOptional hint="A name or an address" error={errorOf('licence')}>
        <Input
          value={form.licence}
          maxLength={maxWordsLength}
          onChange={({ target }) => change({ licence: target.value })}
        />
      </Field>
      <Switch
        label="State creator and license in visitors' files"
        hint="Files that visitors receive contain no other metadata."
        checked={form.statesRights}
        onCheckedChange={(statesRights) => change({ statesRights })}
      />
    </div>
  )
}
