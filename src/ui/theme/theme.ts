import { useSyncExternalStore } from 'react'
import { createListeners } from '../listeners.ts'
import { storedChoice } from '../stored-choice.ts'

type Theme = 'dark' | 'light'
export type ThemePreference = Theme | 'system'

/** public/theme.js uses the same key to set the theme before the first paint. */
const choice = storedChoice('albumen-theme')
const systemIsLight = '(prefers-color-scheme: light)'

const listeners = createListeners()

/** Parses the stored preference; dark is the default. */
export function parsePreference(stored: string | null): ThemePreference {
  return stored === 'light' || stored === 'system' ? stored : 'dark'
}

export function themeFor(preference: ThemePreference, isSystemLight: boolean): Theme {
  if (preference === 'system') return isSystemLight ? 'light' : 'dark'
  return preference
}

export function chooseTheme(preference: ThemePreference) {
  choice.write(preference)
  applyTheme()
}

/** Applies the theme, and applies it again when the system or another tab changes it. */
export function followTheme() {
  applyTheme()
  window.matchMedia(systemIsLight).addEventListener('change', applyTheme)
  window.addEventListener('storage', ({ key }) => {
    if (key !== choice.key) return
    choice.reload()
    applyTheme()
  })
}

export function useTheme(): { preference: ThemePreference; theme: Theme } {
  const preference = useSyncExternalStore(listeners.subscribe, readPreference)
  const theme = useSyncExternalStore(listeners.subscribe, readTheme)
  return { preference, theme }
}

const readPreference = () => parsePreference(choice.read())

function readTheme(): Theme {
  return themeFor(readPreference(), window.matchMedia(systemIsLight).matches)
}

function applyTheme() {
  const theme = readTheme()
  const root = document.documentElement
  root.dataset.theme = theme
  root.style.colorScheme = theme
  // A phone's browser bar gets the page's background color.
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', getComputedStyle(root).backgroundColor)
  listeners.notify()
}
