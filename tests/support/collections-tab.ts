import type { Page } from 'playwright-core'

export const collectionsTab = '/?tab=collections'

/** Chooses an action in a collection's menu. */
export async function chooseAction(page: Page, collection: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${collection}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
