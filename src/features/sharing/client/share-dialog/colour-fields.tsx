import { type ReactNode, useState } from 'react'
import { contrastOf } from '#features/collections/colour-contrast.ts'
import { type Branding, defaultBranding } from '#features/websites/branding.ts'
import { Alert } from '#ui/alert.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'

const fields = [
  { name: 'backgroundColor', label: 'Background' },
  { name: 'textColor', label: 'Text' },
  { name: 'accentColor', label: 'Accent' },
] as const

const isColour = (text: string) => /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)

type ColourFieldsProps = {
  branding: Branding
  onChange: (part: Branding) => void
  /** Suggestions, below the fields. */
  children?: ReactNode
}

export function ColourFields({ branding, onChange, children }: ColourFieldsProps) {
  const colours = { ...defaultBranding, ...branding }
  const warning = warningOf(colours)
  return (
    <div className="space-y-2">
      <div className="grid grid-cols-2 gap-x-4 gap-y-3">
        {fields.map(({ name, label }) => (
          <ColourField
            key={name}
            label={label}
            value={colours[name]}
            onChange={(colour) => onChange({ [name]: colour })}
          />
        ))}
      </div>
      {warning && <Alert tone="info">{warning}</Alert>}
      {children}
    </div>
  )
}

/** A swatch to pick from, and the same color as text, which can be copied and pasted. */
function ColourField(props: { label: string; value: string; onChange: (colour: string) => void }) {
  const { label, value, onChange } = props
  // Text that is not a color yet stays in the field and is not passed on.
  const [draft, setDraft] = useState<string>()
  const text = draft ?? value
  const type = (typed: string) => {
    const colour = typed.trim().replace(/^#?(?=.)/, '#')
    setDraft(isColour(colour) ? undefined : typed)
    if (isColour(colour)) onChange(colour)
  }
  return (
    <Field label={label} error={isColour(text) ? undefined : 'For example, #3b82f6'}>
      <div className="flex gap-1.5">
        <div className="w-10 shrink-0">
          {/* The label belongs to the text. */}
          <Input
            type="color"
            id={undefined}
            aria-label={`${label} color`}
            value={toLongForm(value)}
            onChange={(event) => type(event.target.value)}
          />
        </div>
        <Input
          value={text}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          maxLength={7}
          onChange={(event) => type(event.target.value)}
          onBlur={() => setDraft(undefined)}
        />
      </div>
    </Field>
  )
}

/** A color input accepts only the six-digit form. */
function toLongForm(colour: string) {
  return colour.length === 4 ? `#${[...colour.slice(1)].map((digit) => digit + digit).join('')}` : colour.slice(0, 7)
}

/** WCAG contrast: 4.5 for text, 3 for controls. */
function warningOf({
  backgroundColor,
  textColor,
  accentColor,
}: Required<Pick<Branding, (typeof fields)[number]['name']>>) {
  const text = contrastOf(backgroundColor, textColor)
  if (text < 4.5) return `The text is hard to read on this background (contrast ${text.toFixed(1)}, minimum 4.5).`
  const accent = contrastOf(backgroundColor, accentColor)
  if (accent < 3) return `The accent barely stands out from this background (contrast ${accent.toFixed(1)}, minimum 3).`
  return undefined
}
