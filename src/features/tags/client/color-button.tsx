import { ColorSwatch } from '#features/media/client/filters/color-swatch.tsx'
import { type TagColor, tagColors } from '#features/media/limits.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { DropdownMenu } from '#ui/menus/dropdown-menu.tsx'
import { MenuRadioItem } from '#ui/menus/menu-item.tsx'

type ColorButtonProps = { tag: string; color: TagColor | null; onChange: (color: TagColor | null) => void }

/** The dot before a tag; pressing it chooses another color. */
export function ColorButton({ tag, color, onChange }: ColorButtonProps) {
  return (
    <DropdownMenu
      trigger={
        <IconButton
          label={color ? `Color of ${tag}: ${color}` : `Color of ${tag}`}
          icon={color ? <ColorSwatch color={color} /> : <NoColor />}
          size="sm"
          hasTooltip={false}
        />
      }
    >
      <MenuRadioItem icon={<NoColor />} isChecked={color === null} onSelect={() => onChange(null)}>
        No color
      </MenuRadioItem>
      {tagColors.map((each) => (
        <MenuRadioItem
          key={each}
          icon={<ColorSwatch color={each} />}
          isChecked={each === color}
          onSelect={() => onChange(each)}
        >
          {each[0]!.toUpperCase() + each.slice(1)}
        </MenuRadioItem>
      ))}
    </DropdownMenu>
  )
}

const NoColor = () => (
  <span aria-hidden="true" className="size-3 shrink-0 rounded-full border border-muted border-dashed" />
)
