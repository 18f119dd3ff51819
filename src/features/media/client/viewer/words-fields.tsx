import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { languageName } from '#shared/languages.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { LanguageInput } from '#ui/forms/language-input.tsx'
import { Switch } from '#ui/forms/switch.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import type { ViewedMedia } from '../../contract.ts'
import { maxAltTextLength, maxAltTexts, maxRightsLength, maxSourceUrlLength, maxTitleLength } from '../../limits.ts'
import { languagesOf, lengthWords, type WordsDraft, type WordsLine, wordsOf } from './words-draft.ts'

type WordsFieldsProps = { media: ViewedMedia; words: WordsDraft; onChange: (words: WordsDraft) => void }

/** Alt texts by language, and whether there is anything to describe. */
export function AltTextFields({ media, words, onChange }: WordsFieldsProps) {
  const languages = languagesOf(media, words)
  const [chosen, setChosen] = useState<string>()
  const [isAdding, setIsAdding] = useState(false)
  const language = chosen && languages.includes(chosen) ? chosen : languages[0]!
  const { altTexts, isDecorative } = wordsOf(media, words)
  const setAltText = (tag: string, text: string) => onChange({ ...words, altTexts: { ...words.altTexts, [tag]: text } })

  function addLanguage(tag: string) {
    if (!languages.includes(tag)) setAltText(tag, altTexts[tag] ?? '')
    setChosen(tag)
    setIsAdding(false)
  }

  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">Alt text</legend>
      {!isDecorative && (
        <>
          <Tabs value={language} onValueChange={setChosen}>
            <div className="flex items-center gap-2">
              <TabList label="Languages" className="min-w-0 grow">
                {languages.map((tag) => (
                  <Tab key={tag} value={tag}>
                    {languageName(tag)}
                  </Tab>
                ))}
              </TabList>
              {!isAdding && languages.length < maxAltTexts && (
                <Button size="sm" variant="quiet" icon={<Plus />} onClick={() => setIsAdding(true)}>
                  Add language
                </Button>
              )}
            </div>
            {languages.map((tag) => (
              <TabPanel key={tag} value={tag} className="pt-3">
                <Field label={`Alt text in ${languageName(tag)}`} hint={lengthWords(altTexts[tag] ?? '')}>
                  <Textarea
                    lang={tag}
                    rows={2}
                    maxLength={maxAltTextLength}
                    value={altTexts[tag] ?? ''}
                    onChange={({ target }) => setAltText(tag, target.value)}
                  />
                </Field>
              </TabPanel>
            ))}
          </Tabs>
          {isAdding && <LanguageInput label="New language" present={languages} onAdd={addLanguage} />}
        </>
      )}
      <Switch
        label="Decorative"
        hint="Websites show it with an empty alt text, and screen readers skip it."
        checked={isDecorative}
        onCheckedChange={(next) => onChange({ ...words, isDecorative: next })}
      />
    </fieldset>
  )
}

const rightsFields: { name: WordsLine; label: string; maxLength: number; placeholder?: string }[] = [
  { name: 'title', label: 'Title', maxLength: maxTitleLength },
  { name: 'creator', label: 'Creator', maxLength: maxRightsLength },
  { name: 'credit', label: 'Credit', maxLength: maxRightsLength },
  { name: 'licence', label: 'License', maxLength: maxRightsLength },
  { name: 'sourceUrl', label: 'Source', maxLength: maxSourceUrlLength, placeholder: 'https://' },
]

export function RightsFields({ media, words, onChange }: WordsFieldsProps) {
  const shown = wordsOf(media, words)
  return rightsFields.map(({ name, label, maxLength, placeholder }) => (
    <Field key={name} label={label}>
      <Input
        dir={name === 'sourceUrl' ? 'ltr' : 'auto'}
        inputMode={name === 'sourceUrl' ? 'url' : undefined}
        autoComplete="off"
        maxLength={maxLength}
        placeholder={placeholder}
        value={shown[name]}
        onChange={({ target }) => onChange({ ...words, [name]: target.value })}
      />
    </Field>
  ))
}
