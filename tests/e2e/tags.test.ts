import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LibraryTag } from '#features/tags/contract.ts'
import { assertAccessible, openStories, seeFocus, seeToast } from '#tests/support/browser.ts'
import { cardOf, register, select } from '#tests/support/selection.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const countsOf = async (user: TestUser) =>
  (await user.get('/api/tags')).json().map(({ tag, count }: LibraryTag) => `${tag} ${count}`)

test('tags', async (context) => {
  const { product, story } = await openStories(context)

  await story(
    'tags are renamed, merged, deleted and refused for the whole library, by keyboard, and each change is undone',
    async ({ page, visit, signInAs }) => {
      const ann = await register(product, 'librarian', ['one.jpg', 'two.jpg'])
      await signInAs(ann)
      await visit('/tags')
      await page.getByText('No tags yet').waitFor()
      const [one, two] = (await ann.get('/api/media?sort=name')).json().media
      await ann.patch(`/api/media/${one.id}`, { aiTags: ['boats', 'hund', 'sunset'] })
      await ann.patch(`/api/media/${two.id}`, { aiTags: ['boat', 'boats'] })
      const list = page.getByRole('list', { name: 'Tags', exact: true })
      await list.getByRole('link', { name: 'hund' }).waitFor()
      await assertAccessible(page)

      await page.getByRole('button', { name: 'Actions for hund' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Rename' }).press('Enter')
      await page.getByRole('textbox', { name: 'New name of hund' }).fill('Dog')
      await page.keyboard.press('Enter')
      await seeToast(page, 'Tag renamed', 'Renamed to "dog" on 1 item.')
      await list.getByRole('link', { name: 'dog' }).waitFor()

      await page.getByRole('button', { name: 'Merge boat into boats' }).press('Enter')
      await seeToast(page, 'Tags merged', 'Merged into "boats" on 1 item.')
      await page.getByRole('button', { name: 'Merge boat into boats' }).waitFor({ state: 'detached' })
      assert.deepEqual(await countsOf(ann), ['boats 2', 'dog 1', 'sunset 1'])

      await page.getByRole('button', { name: 'Actions for dog' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Rename' }).press('Enter')
      await page.getByRole('textbox', { name: 'New name of dog' }).fill('sunset')
      await page.keyboard.press('Enter')
      const merging = page.getByRole('dialog', { name: 'Merge "dog"' })
      await merging.getByText('The tag "sunset" already exists.').waitFor()
      await assertAccessible(page)
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Actions for boats' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Delete…' }).press('Enter')
      const question = page.getByRole('alertdialog', { name: 'Delete "boats"?' })
      await question.getByText('This removes the tag from 2 items').waitFor()
      await question.getByRole('checkbox', { name: 'Never suggest it again' }).press('Space')
      await assertAccessible(page)
      await question.getByRole('button', { name: 'Delete Tag' }).press('Enter')
      await seeToast(page, 'Tag deleted', '"boats" removed from 2 items.')
      await list.getByText('Never suggested').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await seeToast(page, 'Undone', '2 items restored.')
      assert.deepEqual(await countsOf(ann), ['boats 2', 'dog 1', 'sunset 1'])

      await page.getByRole('button', { name: 'Color of dog' }).press('Enter')
      await page.getByRole('menuitemradio', { name: 'Teal' }).press('Enter')
      await page.getByRole('button', { name: 'Color of dog: teal' }).waitFor()
      await page.getByRole('searchbox', { name: 'Filter tags' }).fill('do')
      await list.getByRole('link', { name: 'boats' }).waitFor({ state: 'detached' })
      await list.getByRole('link', { name: 'dog' }).press('Enter')
      await cardOf(page, 'one.jpg').waitFor()
      await cardOf(page, 'two.jpg').waitFor({ state: 'detached' })
    },
  )

  await story(
    'typed tags are completed from the library, and Remove Tags shows how many chosen items have each',
    async ({ page, visit, signInAs }) => {
      const ann = await register(product, 'tagger', ['one.jpg', 'two.jpg'])
      const [one] = (await ann.get('/api/media?sort=name')).json().media
      await ann.patch(`/api/media/${one.id}`, { aiTags: ['harbor', 'hardware'] })
      await signInAs(ann)
      await visit('/')
      await select(page, ['one.jpg', 'two.jpg'])
      await page.getByRole('button', { name: 'Add Tags' }).click()
      const field = page.getByRole('combobox', { name: 'Tags' })
      await field.fill('sea, harb')
      await page.getByRole('option', { name: 'harbor' }).waitFor()
      await assertAccessible(page)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      assert.equal(await field.inputValue(), 'sea, harbor, ')
      await page.keyboard.press('Enter')
      await seeToast(page, 'Tags added', 'Added 2 tags to 2 items.')

      await select(page, ['one.jpg', 'two.jpg'])
      await page.getByRole('button', { name: 'Remove Tags' }).click()
      const dialog = page.getByRole('dialog', { name: 'Remove Tags' })
      const rows = dialog.getByRole('listitem')
      await rows.nth(2).waitFor()
      assert.deepEqual(await rows.allTextContents(), ['harborall', 'seaall', 'hardware1 of 2'])
      await assertAccessible(page)
      await dialog.getByRole('checkbox', { name: 'sea' }).check()
      await dialog.getByRole('checkbox', { name: 'hardware' }).check()
      await dialog.getByRole('button', { name: 'Remove 2 Tags' }).click()
      await seeToast(page, 'Tags removed', 'Removed 3 tags from 2 items.')
      assert.deepEqual(await countsOf(ann), ['harbor 2'])
      await seeFocus(page, 'Select')
    },
  )
})
