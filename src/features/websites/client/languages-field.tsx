import Plus from 'lucide-react/icons/plus'
import { type KeyboardEvent, useId, useState } from 'react'
import { canonicalLanguage, languageName } from '#shared/languages.ts'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Chip } from '#ui/chip.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { maxLanguages } from '../limits.ts'

/** Suggested by name; others are entered as tags. */
const suggested =
  'ar bg bn ca cs cy da de de-AT de-CH el en en-GB en-US es es-MX et eu fa fi fr fr-CA fr-CH ga gl he hi hr hu hy id is it ja ka ko lb lt lv mk ms mt nb nl nl-BE pl pt pt-BR rm ro ru sk sl sq sr sv th tr uk ur vi zh-Hans zh-Hant'.split(
    ' ',
  )

type LanguagesFieldProps = { languages: readonly string[]; onChange: (languages: string[]) => void; error?: string }

/** The languages by name; the first is the main one, and a click on another makes that the first. */
export function LanguagesField({ languages, onChange, error }: LanguagesFieldProps) {
  const listId = useId()
  const [text, setText] = useState('')
  const [unknown, setUnknown] = useState('')
  const left = suggested.filter((tag) => !languages.includes(tag))
  const isFull = languages.length >= maxLanguages

  function add() {
    const typed = text.trim()
    if (typed === '') return
    const tag = suggested.find((each) => languageName(each).toLowerCase() === typed.toLowerCase())
    const language = tag ?? canonicalLanguage(typed)
    if (!language) return setUnknown(typed)
    setText('')
    setUnknown('')
    if (!languages.includes(language)) onChange([...languages, language])
  }
  function addByKey(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    // Enter would submit the dialog.
    event.preventDefault()
    add()
  }

  return (
    <div className="space-y-2">
      <Field
        label="Languages"
        hint={
          isFull
            ? `Up to ${maxLanguages} languages`
            : 'A language or its tag, such as German or pt-BR. Click one below to make it the main language.'
        }
        error={unknown ? `"${unknown}" is not a known language. Enter its name or a tag such as de.` : error}
      >
        <div className="flex gap-2">
          <Input
            list={listId}
            value={text}
            maxLength={60}
            autoComplete="off"
            placeholder="Add a language"
            disabled={isFull}
            onChange={({ target }) => {
              setText(target.value)
              setUnknown('')
            }}
            // Save is often the next click.
            onBlur={add}
            onKeyDown={addByKey}
          />
          <Button icon={<Plus />} disabled={isFull} onClick={add}>
            Add
          </Button>
        </div>
      </Field>
      <datalist id={listId}>
        {left.map((tag) => (
          <option key={tag} value={languageName(tag)} />
        ))}
      </datalist>
      {languages.length > 0 && (
        <ul aria-label="Languages" className="flex flex-wrap gap-1.5">
          {languages.map((language, index) => (
            <li key={language} className="flex items-center gap-1">
              <Chip
                onRemove={() => onChange(languages.filter((each) => each !== language))}
                removeLabel={`Remove ${languageName(language)}`}
              >
                {index === 0 ? (
                  languageName(language)
                ) : (
                  <button
                    type="button"
                    tabIndex={0}
                    title="Make it the main language"
                    aria-label={`Make ${languageName(language)} the main language`}
                    onClick={() => onChange([language, ...languages.filter((each) => each !== language)])}
                  >
                    {languageName(language)}
                  </button>
                )}
              </Chip>
              {index === 0 && <Badge>Main</Badge>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
