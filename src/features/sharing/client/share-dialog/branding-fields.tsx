import type { ReactNode } from 'react'
import type { RefusedCss } from '#features/collections/contract.ts'
import type { Branding } from '#features/websites/branding.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Switch } from '#ui/forms/switch.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { ColourFields } from './colour-fields.tsx'
import { PictureField } from './picture-field.tsx'

type BrandingFieldsProps = {
  branding: Branding
  /** What the server would remove from the CSS. */
  refused?: readonly RefusedCss[]
  onChange: (part: Branding) => void
  /** Suggested colors. */
  children?: ReactNode
}

/** The fields that a collection and a website have in common. */
export function BrandingFields({ branding, refused = [], onChange: change, children }: BrandingFieldsProps) {
  return (
    <>
      <ColourFields branding={branding} onChange={change}>
        {children}
      </ColourFields>
      <PictureField label="Logo" value={branding.logoUrl ?? ''} onChange={(logoUrl) => change({ logoUrl })} />
      <PictureField
        label="Header image"
        value={branding.headerImage ?? ''}
        onChange={(headerImage) => change({ headerImage })}
      />
      <Field label="Footer" isOptional>
        <Input
          value={branding.footerLine ?? ''}
          maxLength={300}
          onChange={(event) => change({ footerLine: event.target.value })}
        />
      </Field>
      <Switch
        label="Show owner"
        hint="Show your name on the page"
        checked={branding.showOwnerInfo !== false}
        onCheckedChange={(showOwnerInfo) => change({ showOwnerInfo })}
      />
      <Switch
        label="Search engines"
        hint="Search engines may list the page and its images"
        checked={branding.isIndexed !== false}
        onCheckedChange={(isIndexed) => change({ isIndexed })}
      />
      <Switch
        label="Hide Albumen"
        hint={'Leave out "Shared with Albumen"'}
        checked={branding.isWhiteLabel === true}
        onCheckedChange={(isWhiteLabel) => change({ isWhiteLabel })}
      />
      <CssField
        value={branding.customCss ?? ''}
        refused={branding.customCss ? refused : []}
        onChange={(customCss) => change({ customCss })}
      />
    </>
  )
}

type CssFieldProps = { value: string; refused: readonly RefusedCss[]; onChange: (css: string) => void }

const shown = 5

/** Rules that would be removed are listed with their reasons while the user types. */
function CssField({ value, refused, onChange }: CssFieldProps) {
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
          // The margin keeps the field clear of the sticky bar with Save.
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
