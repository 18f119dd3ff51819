import sharp from 'sharp'
import type { FakeWeb } from '#tests/support/fake-web.ts'
import { makeJpeg, makeWebp } from '#tests/support/pictures.ts'
import type { TestApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { Audit, AuditedPicture, Progress } from '../contract.ts'

export const auditOf = async (user: TestUser, id: number): Promise<Audit> =>
  (await user.get(`/api/audits/${id}`)).json()

export async function picturesOf(user: TestUser, id: number, query = ''): Promise<AuditedPicture[]> {
  return (await user.get(`/api/audits/${id}/pictures?${query}`)).json().pictures
}

export function countsOf(progress: Progress | null) {
  const { runId: _runId, ...counts } = progress!
  return counts
}

/** Audits the pages and waits for the end. */
export async function finishAudit(product: TestApp, user: TestUser, body: object): Promise<Audit> {
  const answer = await user.post('/api/audits', body)
  if (answer.statusCode !== 201) throw new Error(`Expected 201, received ${answer.statusCode} ${answer.body}`)
  await product.settled()
  return auditOf(user, answer.json().id)
}

/** A page with one flawless picture and four with problems. */
export async function badPage(web: FakeWeb) {
  // Random pictures differ in weight, and this one has to be heavy but not very heavy.
  const light = await sharp(await makeJpeg({ width: 1200, height: 800 }))
    .jpeg({ quality: 10 })
    .toBuffer()
  const heavy = Buffer.concat([light, Buffer.alloc(300_000)]).subarray(0, 300_000)
  web.file('/IMG_1234.jpg', heavy)
  web.file('/harbour-at-dawn.webp', await makeWebp({ width: 80, height: 60 }), 'image/webp')
  web.file('/red%20boat.jpg', await makeJpeg({ width: 200, height: 150 }))
  web.file('/0f3a9c1b2d4e5f60.jpg', await makeJpeg({ width: 60, height: 40 }))
  const url = web.page(
    '/port',
    `<title>The port</title><img src="/IMG_1234.jpg" width="300" height="200">
    <img src="/harbour-at-dawn.webp" alt="The harbour at dawn" width="80" height="60">
    <img src="/red boat.jpg" alt="IMG_77.jpg" style="height: 80px">
    <img src="/0f3a9c1b2d4e5f60.jpg" alt=""><img src="/gone.jpg" alt="Gone" width="10" height="10">`,
  )
  return { url, heavy }
}
