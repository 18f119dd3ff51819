import type { Page } from 'playwright-core'

/** Waits until the element has the focus. */
export async function expectFocus(page: Page, role: Parameters<Page['getByRole']>[0], name: string) {
  const target = await page.getByRole(role, { name, exact: true }).elementHandle()
  await page.waitForFunction((element) => document.activeElement === element, target, { timeout: 5000 })
}
