/**
 * Puts text on the clipboard; rejects when the browser does not allow it. Safari does only in the moment of a press: text
 * that is still on its way is given as a promise, not waited for.
 */
export async function copyText(text: string | Promise<string>): Promise<void> {
  // The clipboard exists only on https and localhost; a home server is often plain http.
  if (navigator.clipboard) {
    try {
      return await (typeof text === 'string' ? navigator.clipboard.writeText(text) : writeWhenThere(text))
    } catch {
      // Refused, for instance without focus: the old way may still do.
    }
  }
  copyBySelection(await text)
}

async function writeWhenThere(text: Promise<string>) {
  const type = 'text/plain'
  const blob = text.then((words) => new Blob([words], { type }))
  // A clipboard that has refused waits no longer; whoever wanted the text hears of a failure by its own promise.
  blob.catch(() => {})
  await navigator.clipboard.write([new ClipboardItem({ [type]: blob })])
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
