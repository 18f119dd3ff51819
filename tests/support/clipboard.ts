import type { BrowserContext } from 'playwright-core'

/** Restricts the clipboard as Safari does: writing works only synchronously within a click, not after an await. */
export async function restrictClipboardToPress(browser: BrowserContext) {
  await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
  await browser.addInitScript(() => {
    const isPress = () => window.event?.isTrusted === true
    const refuse = () => Promise.reject(new DOMException('Not in a press', 'NotAllowedError'))
    const { writeText, write } = Clipboard.prototype
    Object.assign(Clipboard.prototype, {
      writeText(text: string) {
        return isPress() ? writeText.call(this, text) : refuse()
      },
      write(items: ClipboardItems) {
        return isPress() ? write.call(this, items) : refuse()
      },
    })
    const { execCommand } = Document.prototype
    Document.prototype.execCommand = function (command: string) {
      return isPress() && execCommand.call(this, command)
    }
  })
}
