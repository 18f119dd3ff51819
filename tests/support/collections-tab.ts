import type { Page } from 'playwright-core'

export const collectionsTab = '/?tab=collections'

/** From the menu of a collection. */
export async function chooseAction(page: Page, collection: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${collection}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
