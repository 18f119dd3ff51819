import Plus from 'lucide-react/icons/plus'
import { type KeyboardEvent, useId, useState } from 'react'
import { canonicalLanguage, languageName } from '#shared/languages.ts'
import { Button } from '../button.tsx'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

/** Suggested by name; others are entered as tags. */
export const usualLanguages: readonly string[] =
  'ar bg bn ca cs cy da de de-AT de-CH el en en-GB en-US es es-MX et eu fa fi fr fr-CA fr-CH ga gl he hi hr hu hy id is it ja ka ko lb lt lv mk ms mt nb nl nl-BE pl pt pt-BR rm ro ru sk sl sq sr sv th tr uk ur vi zh-Hans zh-Hant'.split(
    ' ',
  )

type LanguageInputProps = {
  label: string
  isLabelHidden?: boolean
  hint?: string
  error?: string
  /** Not suggested again. */
  present: readonly string[]
  isFull?: boolean
  suggested?: readonly string[]
  onAdd: (language: string) => void
}

/** Adds a language by its name or its tag. */
export function LanguageInput({
  label,
  isLabelHidden,
  hint,
  error,
  present,
  isFull = false,
  suggested = usualLanguages,
  onAdd,
}: LanguageInputProps) {
  const listId = useId()
  const [text, setText] = useState('')
  const [unknown, setUnknown] = useState('')
  const left = suggested.filter((tag) => !present.includes(tag))

  function add() {
    const typed = text.trim()
    if (typed === '') return
    const tag = suggested.find((each) => languageName(each).toLowerCase() === typed.toLowerCase())
    const language = tag ?? canonicalLanguage(typed)
    if (!language) return setUnknown(typed)
    setText('')
    setUnknown('')
    onAdd(language)
  }
  function addByKey(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    // Enter would submit the form.
    event.preventDefault()
    add()
  }

  return (
    <>
      <Field
        label={label}
        isLabelHidden={isLabelHidden}
        hint={hint}
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
    </>
  )
}
