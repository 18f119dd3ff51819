import { Field } from '#ui/forms/field.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import type { RefusedCss } from '../../contract.ts'

type CssFieldProps = { value: string; refused: readonly RefusedCss[]; onChange: (css: string) => void }

const shown = 5

/** What would be left out is told while it is typed, with the reason. */
export function CssField({ value, refused, onChange }: CssFieldProps) {
  return (
    <div className="space-y-2">
      <Field
        label="Custom CSS"
        isOptional
        hint="Available classes: .pub-title, .pub-subtitle, .pub-header, .pub-grid, .pub-item, .pub-button."
      >
        <Textarea
          value={value}
          onChange={(event) => onChange(event.target.value)}
          spellCheck={false}
          maxLength={20_000}
          // Clear of the bar with Save, which stays in view.
          className="scroll-mb-20 font-mono text-sm"
        />
      </Field>
      {refused.length > 0 && (
        <ul aria-label="Removed from your CSS" className="space-y-1 text-danger text-sm">
          {refused.slice(0, shown).map(({ line, text, reason }) => (
            <li key={`${line} ${text} ${reason}`} className="wrap-anywhere">
              Line {line}: {text && <code>{text}</code>} {reason}
            </li>
          ))}
          {refused.length > shown && <li>and {refused.length - shown} more</li>}
        </ul>
      )}
    </div>
  )
}
