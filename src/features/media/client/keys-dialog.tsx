import { useState } from 'react'
import { Switch } from '#ui/forms/switch.tsx'
import { areSingleKeysEnabled, enableSingleKeys, isOnMac } from '#ui/keys/hotkey.ts'
import { Kbd } from '#ui/keys/kbd.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'

type Key = { keys: string; does: string }

const deleteKey = { keys: isOnMac() ? '⌫' : 'Delete', does: 'Move to Trash' }

const libraryKeys: Key[] = [
  { keys: '/', does: 'Search' },
  { keys: '← ↑ ↓ →', does: 'Move between items' },
  { keys: 'Home End', does: 'First or last item' },
  { keys: 'Enter', does: 'Open' },
  { keys: isOnMac() ? '⌘ A' : 'Ctrl A', does: 'Select all on this page' },
  deleteKey,
  { keys: 'Esc', does: 'Clear selection' },
]

const viewerKeys: Key[] = [
  { keys: '← →', does: 'Previous or next item' },
  { keys: 'Space', does: 'Play or pause a video' },
  { keys: 'S', does: 'Slideshow' },
  { keys: 'I', does: 'Info' },
  { keys: 'F', does: 'Favorite' },
  { keys: 'E', does: 'Edit' },
  { keys: '+ -', does: 'Zoom in or out' },
  { keys: '0', does: 'Fit to screen' },
  { keys: 'Shift ← ↑ ↓ →', does: 'Pan the image' },
  deleteKey,
  { keys: 'Esc', does: 'Close' },
]

/** Lists the keyboard shortcuts; opened with "?". */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [areOn, setAreOn] = useState(areSingleKeysEnabled)
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} size="lg">
      <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        <KeyList title="Library" keys={libraryKeys} />
        <KeyList title="Viewer" keys={viewerKeys} />
      </div>
      <Switch
        label="Single-key shortcuts"
        hint="Turn off if you use dictation or press keys by accident. Other shortcuts still work."
        checked={areOn}
        onCheckedChange={(isOn) => {
          enableSingleKeys(isOn)
          setAreOn(isOn)
        }}
        className="mt-6 border-line border-t pt-4"
      />
    </Dialog>
  )
}

function KeyList({ title, keys }: { title: string; keys: Key[] }) {
  return (
    <section>
      <h3 className="mb-1 text-faint text-xs">{title}</h3>
      <dl>
        {keys.map(({ keys, does }) => (
          <div
            key={keys}
            className="flex items-center justify-between gap-3 border-line border-b py-1.5 last:border-b-0"
          >
            <dt>{does}</dt>
            <dd>
              {/* Keys are also shown on touch screens: a user who can open this dialog has a keyboard. */}
              <Kbd keys={keys} className="pointer-coarse:inline-flex!" />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
