import { type FormEvent, useState } from 'react'
import { useChangePreferences } from '#features/auth/client/mutations.ts'
import { useUser } from '#features/auth/client/queries.ts'
import { useServices } from '#features/media/client/use-services.ts'
import { languageName } from '#shared/languages.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { usualLanguages } from '#ui/forms/language-input.tsx'
import { Select } from '#ui/forms/select.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'

/** The language of what the AI writes for the user. */
export function LanguageDialog({ onClose }: { onClose: () => void }) {
  const { aiLanguage, writtenLanguages } = useServices()
  const saved = String(useUser()?.preferences.aiLanguage ?? '')
  const [language, setLanguage] = useState(saved)
  const save = useChangePreferences()
  const known = new Set([...(writtenLanguages ?? usualLanguages), ...(saved ? [saved] : [])])
  const byName = [...known]
    .map((value) => ({ value, label: languageName(value) }))
    .toSorted((one, other) => one.label.localeCompare(other.label))

  function submit(event: FormEvent) {
    event.preventDefault()
    save.mutate({ aiLanguage: language }, { onSuccess: onClose })
  }

  return (
    <Dialog
      onClose={onClose}
      isLocked={save.isPending}
      size="sm"
      title="AI language"
      description="For new descriptions and tags. Existing ones stay as they are."
      onSubmit={submit}
      footer={
        <>
          <Button disabled={save.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" isPending={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Field
        label="Language of descriptions and tags"
        hint={writtenLanguages ? 'Tags of the built-in AI stay in English.' : undefined}
      >
        <Select
          value={language}
          onValueChange={setLanguage}
          options={[{ value: '', label: `Default (${languageName(aiLanguage)})` }, ...byName]}
        />
      </Field>
    </Dialog>
  )
}
