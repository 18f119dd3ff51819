import Monitor from 'lucide-react/icons/monitor'
import Moon from 'lucide-react/icons/moon'
import Sun from 'lucide-react/icons/sun'
import { IconButton } from '../icon-button.tsx'
import { DropdownMenu } from '../menus/dropdown-menu.tsx'
import { MenuRadioItem } from '../menus/menu-item.tsx'
import { chooseTheme, type ThemePreference, useTheme } from './theme.ts'

export const themeChoices: { value: ThemePreference; label: string; Icon: typeof Sun }[] = [
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'system', label: 'System', Icon: Monitor },
]

export function ThemeToggle() {
  const { preference, theme } = useTheme()
  return (
    <DropdownMenu trigger={<IconButton label="Theme" icon={theme === 'dark' ? <Moon /> : <Sun />} />}>
      {themeChoices.map(({ value, label, Icon }) => (
        <MenuRadioItem key={value} icon={<Icon />} isChecked={preference === value} onSelect={() => chooseTheme(value)}>
          {label}
        </MenuRadioItem>
      ))}
    </DropdownMenu>
  )
}
