import { useState } from 'react'
import type { Media } from '#features/media/contract.ts'
import { languageName } from '#shared/languages.ts'
import { Field } from '#ui/forms/field.tsx'
import { Select } from '#ui/forms/select.tsx'

type WithAltTexts = Pick<Media, 'altTexts' | 'isDecorative'>

/** The language of the alternative texts in a snippet; there is a field only if there is a choice. */
export function useAltLanguage(items: readonly WithAltTexts[]) {
  const [chosen, setChosen] = useState<string>()
  const described = items.filter(({ isDecorative }) => !isDecorative)
  const languages = [...new Set(described.flatMap(({ altTexts }) => Object.keys(altTexts)))]
  const language = chosen && languages.includes(chosen) ? chosen : languages[0]
  return {
    wanted: language ? [language] : [],
    field: languages.length > 1 && (
      <Field label="Language of the alt text">
        <Select
          value={language}
          onValueChange={setChosen}
          options={languages.map((tag) => ({ value: tag, label: languageName(tag) }))}
        />
      </Field>
    ),
  }
}
