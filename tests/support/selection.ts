import type { Page } from 'playwright-core'
import { makePng } from './pictures.ts'
import type { TestApp } from './test-app.ts'

/** Registers a user with these pictures. */
export async function register(product: TestApp, name: string, pictures: string[]) {
  const person = await product.register(name)
  for (const picture of pictures)
    await person.addPicture(picture, picture.endsWith('.png') ? await makePng({ width: 160, height: 120 }) : undefined)
  return person
}

export async function select(page: Page, names: string[]) {
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
}

export const cardOf = (page: Page, name: string) => page.getByRole('button', { name: `Open ${name}` })

/** Chooses an action in the "More actions" menu of the selection bar. */
export async function chooseMore(page: Page, action: string | RegExp) {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** In the dialog that adds items to a collection. */
export const chooseCollection = (page: Page, name: string) =>
  page.getByRole('listbox', { name: 'Collection' }).getByRole('option').filter({ hasText: name }).click()
