import type { Preset } from './contract.ts'

const automatic = { fit: 'cover', format: 'auto', quality: null } as const

/** The presets that every user has from the start. */
export const defaultPresets: Preset[] = [
  { name: 'thumb', width: 400, height: 400, ...automatic },
  { name: 'card', width: 800, height: 600, ...automatic },
  { name: 'hero', width: 1920, height: null, ...automatic, fit: 'contain' },
  // Not every program that previews links reads newer formats.
  { name: 'share', width: 1200, height: 630, ...automatic, format: 'jpg' },
  { name: 'square', width: 1080, height: 1080, ...automatic },
]
