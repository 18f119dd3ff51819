import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { claimSetting, loadSetting } from '#platform/server/db/settings.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
import { isSecure } from '#platform/server/http/origin.ts'

const settingName = 'share-secret'
const keyMs = 7 * 24 * 3600_000

type Share = Pick<Row<'collections'>, 'id' | 'password_hash'>

/**
 * [Note: The key to a share] Who gave a collection's password gets a cookie that only the server can make. It names the
 * collection and its end, and is made from the password's hash: another password, and every key given out is void.
 */
export async function giveShareKey(db: Db, request: FastifyRequest, reply: FastifyReply, share: Share) {
  const until = Date.now() + keyMs
  const key = `${until}.${await sign(db, share, until)}`
  // Files live outside the share's own address, so the path cannot be narrower.
  reply.setCookie(cookieName(share.id), key, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
    maxAge: keyMs / 1000,
  })
}

export async function holdsShareKey(db: Db, request: FastifyRequest, share: Share): Promise<boolean> {
  const [until = '', signature = ''] = (request.cookies[cookieName(share.id)] ?? '').split('.')
  if (!signature || !(Number(until) > Date.now())) return false
  const expected = Buffer.from(await sign(db, share, Number(until)))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const cookieName = (collectionId: number) => `albumen_share_${collectionId}`

async function sign(db: Db, { id, password_hash }: Share, until: number) {
  return createHmac('sha256', await loadShareSecret(db))
    .update(`key ${id} ${until} ${password_hash}`)
    .digest('base64url')
}

/** Made once, kept in the database: every process signs alike, and a restart voids nothing. */
export async function loadShareSecret(db: Db): Promise<string> {
  return (await loadSetting(db, settingName)) ?? claimSetting(db, settingName, randomBytes(32).toString('base64url'))
}
