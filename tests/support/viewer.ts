import type { Page } from 'playwright-core'

export const viewerOf = (page: Page) => page.getByRole('dialog', { name: 'Media Details' })

export const panelOf = (page: Page) => viewerOf(page).getByRole('complementary', { name: 'Info' })

/** The one on the stage; the strip below shows it again, small. */
export const pictureOf = (page: Page, name: string) => viewerOf(page).getByRole('img', { name }).first()

export const seeName = (page: Page, name: string) => panelOf(page).getByRole('heading', { name, exact: true }).waitFor()

/** Of an item opened by a link and the list behind it either may come first; it has neighbours once both are there. */
export async function seeBehind(page: Page, id: number) {
  await viewerOf(page).waitFor()
  await page.locator(`[data-media-id="${id}"]`).waitFor({ state: 'attached' })
}
