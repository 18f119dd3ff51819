/** Puts text on the clipboard; rejects when the browser does not allow it. */
export async function copyText(text: string): Promise<void> {
  // The clipboard exists only on https and localhost; a home server is often plain http.
  if (navigator.clipboard) {
    try {
      return await navigator.clipboard.writeText(text)
    } catch {
      // Refused, for instance without focus: the old way may still do.
    }
  }
  copyBySelection(text)
}

function copyBySelection(text: string) {
  const focused = document.activeElement
  // Beside the focus, so that a dialog's focus trap does not take the selection away.
  const place = focused?.parentElement ?? document.body
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.style.position = 'fixed'
  field.style.opacity = '0'
  place.append(field)
  field.select()
  const hasCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  if (!hasCopied) throw new Error('The browser did not allow copying to the clipboard.')
}
