import type { TestContext } from 'node:test'
import { makeJpeg } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { FileAddress, WantedFile } from '../contract.ts'

type Options = { settings?: Record<string, string>; name?: string; bytes?: Uint8Array }

/** A public picture of 1200 x 900 pixels, its owner and a visitor. */
export async function withPublicPicture(context: TestContext, { settings, name = 'Cat.jpg', bytes }: Options = {}) {
  const product = await testApp(context, settings)
  const ann = await product.register('ann')
  const { id } = await ann.addPicture(name, bytes ?? (await makeJpeg({ width: 1200, height: 900 })))
  const { publicUrlSlug: slug } = (await ann.post(`/api/media/${id}/public`)).json()
  const addressesOf = async (files: WantedFile[], mediaId = id): Promise<FileAddress[]> =>
    (await ann.post(`/api/media/${mediaId}/addresses`, { files })).json().addresses
  return { product, ann, visitor: product.visitor(), id, slug: slug as string, address: `/i/${slug}`, addressesOf }
}

/** The path of an absolute address. */
export const pathOf = (address: FileAddress | undefined) => address!.url!.replace(/^https?:\/\/[^/]+/, '')
