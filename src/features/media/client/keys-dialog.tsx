import { useState } from 'react'
import type { Command } from '#ui/commands/use-command.ts'
import { Switch } from '#ui/forms/switch.tsx'
import { areSingleKeysEnabled, enableSingleKeys } from '#ui/keys/hotkey.ts'
import { Kbd } from '#ui/keys/kbd.tsx'
import { keysOf } from '#ui/keys/key-names.ts'
import { Dialog } from '#ui/layers/dialog.tsx'
import { libraryCommands } from './library-commands.ts'
import { viewerCommands } from './viewer/viewer-commands.ts'

type Key = { keys: string; does: string }

const keyOf = ({ name, hotkey }: Required<Command>): Key => ({ keys: keysOf(hotkey)!, does: name })

const { palette, search, shortcuts, toggle, selectPage, bar, addTags, collect, trash, deselect } = libraryCommands

const everywhereKeys: Key[] = [
  keyOf(palette),
  keyOf(search),
  { keys: 'Enter ↓', does: 'From the search to its first result' },
  { keys: 'F8', does: 'Go to the notification' },
  keyOf(shortcuts),
]

const libraryKeys: Key[] = [
  { keys: '← ↑ ↓ →', does: 'Move between items' },
  { keys: 'Home End', does: 'First or last item' },
  { keys: 'Enter', does: 'Open' },
  { keys: 'Shift ← ↑ ↓ →', does: 'Extend the selection' },
  ...[toggle, selectPage, bar, addTags, collect, trash, deselect].map(keyOf),
]

const { slideshow, info, favorite, edit } = viewerCommands

const viewerKeys: Key[] = [
  { keys: '← →', does: 'Previous or next item' },
  { keys: 'Space', does: 'Play or pause a video' },
  ...[slideshow, info, favorite, edit].map(keyOf),
  { keys: '+ -', does: 'Zoom in or out' },
  { keys: '0', does: 'Fit to screen' },
  { keys: 'Shift ← ↑ ↓ →', does: 'Pan the image' },
  keyOf(viewerCommands.trash),
  { keys: 'Esc', does: 'Close' },
]

/** Lists the keyboard shortcuts; opened with "?". */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [areOn, setAreOn] = useState(areSingleKeysEnabled)
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} size="lg">
      <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        <div className="space-y-5">
          <KeyList title="Everywhere" keys={everywhereKeys} />
          <KeyList title="Library" keys={libraryKeys} />
        </div>
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
