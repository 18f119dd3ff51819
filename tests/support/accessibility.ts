import assert from 'node:assert/strict'
import axe, { type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What axe finds wrong with the page as it stands, by rule and place. It is asked for nothing else, and put into a page
 * once: each of the two costs as much as the look itself.
 */
export async function findAccessibilityFaults(page: Page, options: RunOptions = {}): Promise<string[]> {
  assert.equal(page.frames().length, 1, 'what a frame shows is not looked at')
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async (wanted) => {
    const { axe: inPage } = window as unknown as { axe: typeof axe }
    const { violations } = await inPage.run(document, { ...wanted, resultTypes: ['violations'] })
    return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target).join(', ')})`)
  }, options)
}
