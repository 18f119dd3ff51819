import { Suspense, useState } from 'react'
import { lazyPart } from '#ui/lazy-part.ts'
import { useHotkey } from '#ui/use-hotkey.ts'

const KeysDialog = lazyPart(async () => (await import('#features/media/client/keys-dialog.tsx')).KeysDialog)

/** "?" lists the keys on every screen. In the viewer, whose own keys must rest meanwhile, it does so itself. */
export function KeysDoor() {
  const [isOpen, setIsOpen] = useState(false)
  useHotkey('?', () => setIsOpen(true))
  return <Suspense>{isOpen && <KeysDialog onClose={() => setIsOpen(false)} />}</Suspense>
}
