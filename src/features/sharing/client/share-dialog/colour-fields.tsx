import { contrastOf } from '#features/collections/colour-contrast.ts'
import { type Branding, defaultBranding } from '#features/collections/contract.ts'
import { Alert } from '#ui/alert.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'

const fields = [
  { name: 'backgroundColor', label: 'Background' },
  { name: 'textColor', label: 'Text' },
  { name: 'accentColor', label: 'Accent' },
] as const

const isColour = (text: string) => /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)

type ColourFieldsProps = { branding: Branding; onChange: (part: Branding) => void }

export function ColourFields({ branding, onChange }: ColourFieldsProps) {
  const colours = { ...defaultBranding, ...branding }
  const warning = warningOf(colours)
  return (
    <div className="space-y-2">
      <div className="grid grid-cols-3 gap-2">
        {fields.map(({ name, label }) => (
          <Field key={name} label={label} error={isColour(colours[name]) ? undefined : 'For example, #3b82f6'}>
            <Input
              type="color"
              value={toLongForm(colours[name])}
              onChange={(event) => onChange({ [name]: event.target.value })}
            />
          </Field>
        ))}
      </div>
      {warning && <Alert tone="info">{warning}</Alert>}
    </div>
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
