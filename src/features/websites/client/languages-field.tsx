import { languageName } from '#shared/languages.ts'
import { Badge } from '#ui/badge.tsx'
import { Chip } from '#ui/chip.tsx'
import { LanguageInput } from '#ui/forms/language-input.tsx'
import { maxLanguages } from '../limits.ts'

type LanguagesFieldProps = {
  languages: readonly string[]
  onChange: (languages: string[]) => void
  error?: string
  suggested?: readonly string[]
  most?: number
  /** The first language is the main one. */
  hasMain?: boolean
}

/** The languages by name; where the first is the main one, a click on another makes that the first. */
export function LanguagesField(props: LanguagesFieldProps) {
  const { languages, onChange, error, suggested, most = maxLanguages, hasMain = true } = props
  const isFull = languages.length >= most
  return (
    <div className="space-y-2">
      <LanguageInput
        label="Languages"
        hint={
          isFull
            ? `Up to ${most} languages`
            : `A language or its tag, such as German or pt-BR.${hasMain ? ' Click one below to make it the main language.' : ''}`
        }
        error={error}
        present={languages}
        isFull={isFull}
        suggested={suggested}
        onAdd={(language) => {
          if (!languages.includes(language)) onChange([...languages, language])
        }}
      />
      {languages.length > 0 && (
        <ul aria-label="Languages" className="flex flex-wrap gap-1.5">
          {languages.map((language, index) => (
            <li key={language} className="flex items-center gap-1">
              <Chip
                onRemove={() => onChange(languages.filter((each) => each !== language))}
                removeLabel={`Remove ${languageName(language)}`}
              >
                {index === 0 || !hasMain ? (
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
              {index === 0 && hasMain && <Badge>Main</Badge>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
