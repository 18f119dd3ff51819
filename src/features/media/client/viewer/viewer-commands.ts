/** The commands of the viewer, as its keys, tooltips, the palette and the list of shortcuts name them. */
export const viewerCommands = {
  previous: { name: 'Previous item', hotkey: 'ArrowLeft' },
  next: { name: 'Next item', hotkey: 'ArrowRight' },
  slideshow: { name: 'Slideshow', hotkey: 's' },
  info: { name: 'Info', hotkey: 'i' },
  favorite: { name: 'Favorite', hotkey: 'f' },
  edit: { name: 'Edit', hotkey: 'e' },
  trash: { name: 'Move to Trash', hotkey: 'Delete' },
}
