import assert from 'node:assert/strict'
import axe, { type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * The accessibility violations that axe finds on the page. Loading axe, and reporting anything but violations, would each
 * double the time, so axe is loaded once per page.
 */
export async function findAccessibilityFaults(page: Page, options: RunOptions = {}): Promise<string[]> {
  assert.equal(page.frames().length, 1, 'frames are not checked')
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async (wanted) => {
    const { axe: inPage } = window as unknown as { axe: typeof axe }
    const { violations } = await inPage.run(document, { ...wanted, resultTypes: ['violations'] })
    return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target).join(', ')})`)
  }, options)
}
