import type { Page } from 'playwright-core'
import { makeJpeg } from './pictures.ts'
import type { TestUser } from './test-user.ts'

export type ChosenFile = { name: string; mimeType: string; buffer: Buffer }

export const jpeg = async (name: string): Promise<ChosenFile> => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await makeJpeg({ width: 320, height: 240 }),
})

export const filenamesIn = ({ media }: { media: { filename: string }[] }) => media.map(({ filename }) => filename)
export const filenames = async (person: TestUser) => filenamesIn((await person.get('/api/media?sort=name')).json())

export const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Upload Media' })
export const rowOf = (page: Page, name: string) =>
  dialogOf(page).getByRole('list', { name: 'Selected files' }).getByRole('listitem').filter({ hasText: name })

export async function chooseFiles(page: Page, files: ChosenFile[]) {
  await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
  await dialogOf(page).waitFor()
  await dialogOf(page).getByLabel('Files', { exact: true }).setInputFiles(files)
}

/** Drops a file or folder from the disk, through the browser, because a page cannot create a dropped folder. */
export async function dropPath(page: Page, path: string) {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data })
  await session.detach()
}

/** Dispatches a drop event with files on an element, or a paste event on the focused one. */
export function sendFiles(page: Page, kind: 'dragenter' | 'drop' | 'paste', files: ChosenFile[], on = 'body') {
  const carried = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, bytes: buffer.toString('base64') }))
  return page.evaluate(
    ([event, list, selector]) => {
      const transfer = new DataTransfer()
      for (const { name, mimeType, bytes } of list) {
        const content = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0))
        transfer.items.add(new File([content], name, { type: mimeType }))
      }
      const options = { bubbles: true, cancelable: true }
      const target = (event === 'paste' && document.activeElement) || document.querySelector(selector)!
      target.dispatchEvent(
        event === 'paste'
          ? new ClipboardEvent(event, { ...options, clipboardData: transfer })
          : new DragEvent(event, { ...options, dataTransfer: transfer }),
      )
    },
    [kind, carried, on] as const,
  )
}
