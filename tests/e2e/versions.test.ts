import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { makePng } from '#tests/support/pictures.ts'
import { panelOf, pictureOf, viewerOf } from '#tests/support/viewer.ts'

/** Red on the left, blue on the right. */
async function twoColors(width: number, height: number) {
  const half = { width: width / 2, height, channels: 3 as const }
  const blue = await sharp({ create: { ...half, background: '#0000ff' } })
    .png()
    .toBuffer()
  return sharp({ create: { ...half, width, background: '#ff0000' } })
    .composite([{ input: blue, left: width / 2, top: 0 }])
    .png()
    .toBuffer()
}

test('replacing and editing files', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')

  await story(
    'a logo is replaced in the viewer, its public page shows the new file, and Undo brings the earlier one back',
    async ({ page, browser, visit }) => {
      const logo = await ann.addPicture('logo.png', await makePng({ width: 300, height: 200 }))
      const { publicUrlSlug } = (await ann.post(`/api/media/${logo.id}/public`)).json()
      await visit(`/?item=${logo.id}`)
      const chooser = page.waitForEvent('filechooser')
      await panelOf(page).getByRole('button', { name: 'Replace File' }).click()
      const file = { name: 'new.png', mimeType: 'image/png', buffer: await makePng({ width: 500, height: 250 }) }
      await (await chooser).setFiles(file)
      await seeToast(page, 'File replaced', '"logo.png" has a new file. Its link stays the same.')
      const versions = panelOf(page).getByRole('list', { name: 'Versions' })
      await versions.getByText('500 × 250').waitFor()
      await versions.getByText('Current').waitFor()
      await versions.getByText('Uploaded today by ann').waitFor()
      await panelOf(page).getByText('500 × 250', { exact: true }).waitFor()
      await assertAccessible(page)

      const visitor = await browser.newPage()
      await visitor.goto(new URL(`/public/${publicUrlSlug}`, page.url()).href)
      const shown = visitor.getByRole('main').getByRole('img').first()
      assert.deepEqual([await shown.getAttribute('width'), await shown.getAttribute('height')], ['500', '250'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await panelOf(page).getByText('300 × 200', { exact: true }).waitFor()
      await visitor.reload()
      assert.equal(await shown.getAttribute('width'), '300')
    },
    { as: ann },
  )

  await story(
    'a picture is cropped, turned and saved by keyboard and pointer, and its first version is restored',
    async ({ page, visit }) => {
      const media = await ann.addPicture('beach.png', await twoColors(400, 300))
      await visit(`/?item=${media.id}`)
      await panelOf(page).getByRole('button', { name: 'Crop and adjust' }).click()
      const editor = page.getByRole('dialog', { name: 'Edit image' })
      await editor.getByLabel('Shape').selectOption('1:1')
      const crop = editor.getByRole('button', { name: /^Crop area/ })
      await editor.getByRole('button', { name: 'Crop area, 300 × 300 pixels. Arrow keys move it.' }).waitFor()
      for (let left = 50; left > 0; left -= 10) await crop.press('Shift+ArrowLeft')
      const corner = await editor.getByRole('button', { name: /^Bottom right corner/ }).boundingBox()
      const [x, y] = [corner!.x + corner!.width / 2, corner!.y + corner!.height / 2]
      await page.mouse.move(x, y)
      await page.mouse.down()
      await page.mouse.move(x - 60, y - 60, { steps: 4 })
      await page.mouse.up()
      await editor.getByRole('button', { name: 'Rotate right' }).click()
      await assertAccessible(page)
      const side = Number(/area, (\d+) /.exec((await crop.getAttribute('aria-label'))!)![1])
      assert.ok(side < 300 && side > 100)
      await editor.getByLabel('Width').fill('100')
      await editor.getByRole('button', { name: 'Save', exact: true }).click()
      await seeToast(page, 'Changes saved', 'The previous file of "beach.png" is kept as a version.')
      await editor.waitFor({ state: 'hidden' })
      const edited = (await ann.get(`/api/media/${media.id}`)).json()
      assert.deepEqual([edited.width, edited.height], [100, 100])
      const bytes = (await ann.get(edited.originalUrl)).rawPayload
      const [red, , blue] = await sharp(bytes)
        .extract({ left: 50, top: 10, width: 1, height: 1 })
        .removeAlpha()
        .raw()
        .toBuffer()
      assert.ok(red! > 200 && blue! < 50, 'what was on the left is on top')

      await panelOf(page).getByRole('button', { name: 'Restore: Uploaded today' }).click()
      await seeToast(page, 'Version restored', '"beach.png" has its earlier file again.')
      await panelOf(page).getByText('400 × 300', { exact: true }).waitFor()
      await pictureOf(page, 'beach.png').waitFor()
    },
    { as: ann },
  )

  await story(
    'a file dropped on the viewer replaces the picture, and one of another kind is refused in a sentence',
    async ({ page, visit }) => {
      const media = await ann.addPicture('drop.png', await makePng({ width: 200, height: 100 }))
      await visit(`/?item=${media.id}`)
      await panelOf(page).getByRole('button', { name: 'Replace File' }).waitFor()
      const drop = async (name: string, bytes: Buffer) => {
        const transfer = await page.evaluateHandle(
          ([name, bytes]) => {
            const transfer = new DataTransfer()
            transfer.items.add(new File([Uint8Array.from(bytes as number[])], name as string))
            return transfer
          },
          [name, [...bytes]] as const,
        )
        await viewerOf(page).dispatchEvent('dragenter', { dataTransfer: transfer })
        await page.getByText('Drop to replace the file').waitFor()
        await viewerOf(page).dispatchEvent('drop', { dataTransfer: transfer })
      }
      await drop('words.txt', Buffer.from('These are words and no picture.'))
      await seeToast(page, 'Replacement failed', 'Unsupported file type.')
      await drop('new.png', await makePng({ width: 210, height: 110 }))
      await seeToast(page, 'File replaced', '"drop.png" has a new file.')
      await panelOf(page).getByText('210 × 110', { exact: true }).waitFor()
      assert.equal(
        (await ann.get('/api/media')).json().media.filter((each: { filename: string }) => each.filename === 'new.png')
          .length,
        0,
      )
    },
    { as: ann },
  )
})
