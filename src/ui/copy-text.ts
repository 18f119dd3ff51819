/**
 * Copies text to the clipboard; rejects when the browser does not allow it. Safari allows it only during a click, so text that is
 * still loading must be passed as a promise instead of awaited.
 */
export async function copyText(text: string | Promise<string>): Promise<void> {
  // The clipboard exists only on https and localhost; a home server is often plain http.
  if (navigator.clipboard) {
    try {
      return await (typeof text === 'string' ? navigator.clipboard.writeText(text) : writeWhenReady(text))
    } catch {
      // The browser refused, e.g. without focus; the older API below may still work.
    }
  }
  copyBySelection(await text)
}

async function writeWhenReady(text: Promise<string>) {
  const type = 'text/plain'
  const blob = text.then((content) => new Blob([content], { type }))
  // The caller handles a rejection of its own promise; this one would be reported as unhandled.
  blob.catch(() => {})
  await navigator.clipboard.write([new ClipboardItem({ [type]: blob })])
}

function copyBySelection(text: string) {
  const focused = document.activeElement
  // Next to the focused element, so that a dialog's focus trap does not remove the selection.
  const container = focused?.parentElement ?? document.body
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.style.position = 'fixed'
  field.style.opacity = '0'
  container.append(field)
  field.select()
  const hasCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  if (!hasCopied) throw new Error('The browser did not allow copying to the clipboard.')
}
