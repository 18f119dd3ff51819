import { useState } from 'react'
import { presentPreferences, savePreferences } from '#features/auth/client/preferences.ts'
import { type SnippetFormat, snippetFormats } from '../snippets.ts'

type CopyChoice = { format: SnippetFormat; size: string; layout: string }

export const layouts = {
  full: { label: 'Full width', sizes: '100vw' },
  column: { label: 'Content column', sizes: '(min-width: 800px) 800px, 100vw' },
  half: { label: 'Half', sizes: '(min-width: 800px) 50vw, 100vw' },
  third: { label: 'Third', sizes: '(min-width: 800px) 33vw, 100vw' },
} as const

/** A longer one is remembered until the dialog closes. */
const maxPreferenceLength = 40

/** The last choice, remembered on every device. */
export function useCopyChoice() {
  const [choice, setChoice] = useState<CopyChoice>(() => {
    const { copyFormat, copySize, copyLayout } = presentPreferences()
    const format = String(copyFormat ?? '')
    return {
      format: format in snippetFormats ? (format as SnippetFormat) : 'picture',
      size: String(copySize ?? 'full'),
      layout: String(copyLayout ?? 'column'),
    }
  })
  const change = (changes: Partial<CopyChoice>) => {
    const next = { ...choice, ...changes }
    setChoice(next)
    savePreferences({
      copyFormat: next.format,
      copySize: next.size,
      ...(next.layout.length <= maxPreferenceLength && { copyLayout: next.layout }),
    })
  }
  return [choice, change] as const
}
