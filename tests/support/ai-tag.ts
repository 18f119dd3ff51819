import type { Page } from 'playwright-core'
import type { TestUser } from './test-user.ts'

export const tagsOf = async (person: TestUser, id: number): Promise<string[]> =>
  (await person.get(`/api/media/${id}`)).json().aiTags

/** Selects all items on the page and opens the dialog. */
export async function openAiTag(page: Page, count: number) {
  await page
    .locator('[data-media-id]')
    .nth(count - 1)
    .waitFor()
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: `AI Tag (${count})` }).click()
  return page.getByRole('dialog', { name: 'AI Tag' })
}
