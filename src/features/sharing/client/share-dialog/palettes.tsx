import { type Branding, defaultBranding } from '#features/websites/branding.ts'
import { classNames } from '#ui/class-names.ts'
import { type Palette, suggestPalettes } from '../../palettes.ts'

type PalettesProps = {
  colours: { logo: readonly string[]; pictures: readonly string[] }
  branding: Branding
  onChange: (part: Branding) => void
}

/** Rows of swatches; each sets the background, the text and the accent. */
export function Palettes({ colours, ...props }: PalettesProps) {
  return (
    <>
      <PaletteRow label="From the logo" palettes={suggestPalettes(colours.logo)} {...props} />
      <PaletteRow label="From the pictures" palettes={suggestPalettes(colours.pictures)} {...props} />
    </>
  )
}

type PaletteRowProps = Omit<PalettesProps, 'colours'> & { label: string; palettes: Palette[] }

function PaletteRow({ label, palettes, branding, onChange }: PaletteRowProps) {
  if (palettes.length === 0) return null
  const current = { ...defaultBranding, ...branding }
  return (
    <fieldset className="flex items-center gap-2">
      <legend className="float-left w-30 shrink-0 text-muted text-sm">{label}</legend>
      {palettes.map(({ name, ...palette }) => {
        const { backgroundColor, textColor, accentColor } = palette
        const isCurrent =
          current.backgroundColor === backgroundColor &&
          current.textColor === textColor &&
          current.accentColor === accentColor
        return (
          <button
            key={name}
            type="button"
            tabIndex={0}
            title={name}
            aria-label={name}
            aria-pressed={isCurrent}
            onClick={() => onChange(palette)}
            style={{ backgroundColor, color: textColor }}
            className={classNames(
              'relative flex h-8 w-10 items-center justify-center gap-1 rounded-sm border border-line-strong font-medium text-xs',
              "pointer-coarse:after:absolute pointer-coarse:after:-inset-x-1 pointer-coarse:after:-inset-y-1.5 pointer-coarse:after:content-['']",
              isCurrent && 'ring-2 ring-accent',
            )}
          >
            <span aria-hidden="true">A</span>
            <span aria-hidden="true" className="size-2.5 rounded-full" style={{ backgroundColor: accentColor }} />
          </button>
        )
      })}
    </fieldset>
  )
}
