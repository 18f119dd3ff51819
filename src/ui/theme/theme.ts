import { useSyncExternalStore } from 'react'
import { createListeners } from '../listeners.ts'
import { storedChoice } from '../stored-choice.ts'

type Theme = 'dark' | 'light'
export type ThemePreference = Theme | 'system'

/** Known to public/theme.js as well, which sets the theme before the first paint. */
const choice = storedChoice('albumen-theme')
const systemIsLight = '(prefers-color-scheme: light)'

const listeners = createListeners()

/** What a stored word means; dark is the default. */
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

/** Puts the theme on the page and keeps it true when the system or another tab changes it. */
export function followTheme() {
  applyTheme()
  window.matchMedia(systemIsLight).addEventListener('change', applyTheme)
  window.addEventListener('storage', ({ key }) => {
    if (key !== choice.key) return
    choice.readAgain()
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
  // The bar of a phone's browser has the colour of the page below it.
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', getComputedStyle(root).backgroundColor)
  listeners.tell()
}
