import type { Page } from 'playwright-core'

export const viewerOf = (page: Page) => page.getByRole('dialog', { name: 'Media Details' })

export const panelOf = (page: Page) => viewerOf(page).getByRole('complementary', { name: 'Info' })

/** The image on the stage; the film strip shows it again. */
export const pictureOf = (page: Page, name: string) => viewerOf(page).getByRole('img', { name }).first()

export const seeName = (page: Page, name: string) => panelOf(page).getByRole('heading', { name, exact: true }).waitFor()

/** Waits for the viewer and the list behind it. After opening a link either may load first, and neighbors need both. */
export async function seeBehind(page: Page, id: number) {
  await viewerOf(page).waitFor()
  await page.locator(`[data-media-id="${id}"]`).waitFor({ state: 'attached' })
}
