/** The commands of the library, as its keys, tooltips, the palette and the list of shortcuts name them. */
export const libraryCommands = {
  palette: { name: 'Command palette', hotkey: 'mod+k' },
  search: { name: 'Search', hotkey: '/' },
  shortcuts: { name: 'Keyboard shortcuts', hotkey: '?' },
  toggle: { name: 'Select or deselect', hotkey: 'x' },
  selectPage: { name: 'Select all on this page', hotkey: 'mod+a' },
  bar: { name: 'Actions for the selection, and back', hotkey: 'F6' },
  addTags: { name: 'Add Tags', hotkey: 't' },
  collect: { name: 'Move to Collection', hotkey: 'c' },
  trash: { name: 'Move to Trash', hotkey: 'Delete' },
  deselect: { name: 'Clear selection', hotkey: 'Escape' },
}
