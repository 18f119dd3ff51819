import { AppError } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { splitExtension } from '#shared/filenames.ts'
import { maxSlugLength, minSlugLength, slugify, suggestSlug } from '#shared/slug.ts'
import { transliterate } from '#shared/transliterate.ts'
import type { NewName } from '../contract.ts'
import { type ChangedItem, mediaIdOf, type PutBack } from './history.ts'
import { derivedNames, fileAddress } from './media-addresses.ts'
import type { Owned } from './owned.ts'
import { findSlugTarget, isReservedSlug, takeSlug } from './slugs.ts'
import { updateMedia, updateNames } from './store.ts'
import type { MediaRow } from './to-media.ts'

export const renamedMeanwhile = 'It was renamed in the meantime.'

/** A name that a user reviews before it is given. */
export const toNewName = (row: MediaRow, to: string): NewName => ({
  id: row.id,
  from: row.filename,
  to,
  thumbnailUrl: fileAddress(row, derivedNames.thumbnail),
})

type Names = { names: Pick<NewName, 'id' | 'from' | 'to'>[]; renameAddresses: boolean }

/** Renames locked items that still have the name from which they were to be renamed. Returns the others as well. */
export async function applyNames(transaction: Db, held: Owned<MediaRow>[], { names, renameAddresses }: Names) {
  const wanted = new Map(names.map((name) => [name.id, name]))
  const named = held.filter(({ id }) => wanted.has(id))
  const unchanged = named.filter(({ id, filename }) => filename === wanted.get(id)!.from)
  await updateNames(
    transaction,
    unchanged.map(({ id }) => ({ id, filename: wanted.get(id)!.to })),
  )
  const renamed: ChangedItem[] = []
  const nameOf = ({ id }: { id: number }) => wanted.get(id)!.to
  // Addresses are locked in one order, so that two renamings that want the same ones do not deadlock.
  const inOrder = unchanged.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  for (const { id, filename, public_slug } of renameAddresses ? inOrder : unchanged) {
    const to = nameOf({ id })
    const slug = renameAddresses && public_slug ? await renameAddress(transaction, { id, public_slug }, to) : null
    const before = nameWithAddress(filename, slug && public_slug)
    renamed.push({ mediaId: id, before, after: nameWithAddress(to, slug) })
  }
  const others = named.filter((row) => !unchanged.includes(row)).map(({ id }) => id)
  return { renamed, others }
}

const numbersTried = 9

/** Gives a public item the address that its name suggests, and returns it. The earlier address redirects. */
async function renameAddress(transaction: Db, media: { id: number; public_slug: string }, filename: string) {
  const wanted = slugOf(filename)
  for (let number = 1; number <= numbersTried; number++) {
    const slug = number === 1 ? wanted : `${wanted.slice(0, maxSlugLength - 2)}-${number}`
    if (slug === media.public_slug || (await hasTaken(transaction, slug, media.id))) return slug
  }
  const slug = suggestSlug(wanted)
  await setAddress(transaction, media.id, slug)
  return slug
}

function slugOf(filename: string) {
  const slug = slugify(transliterate(splitExtension(filename).stem))
  return slug.length < minSlugLength || isReservedSlug(slug) ? `image-${slug}`.replace(/-$/, '') : slug
}

/** Whether the item got the address: another item may hold it. */
async function hasTaken(transaction: Db, slug: string, id: number) {
  try {
    await setAddress(transaction, id, slug)
    return true
  } catch (error) {
    if (error instanceof AppError && error.status === 409) return false
    throw error
  }
}

async function setAddress(transaction: Db, id: number, slug: string) {
  await takeSlug(transaction, 'media', slug, id)
  await updateMedia(transaction, id, { public_slug: slug })
}

/** The value of a renamed item in the history, with its address if that was renamed as well. No name contains a slash. */
const nameWithAddress = (filename: string, slug: string | null) => (slug ? `${filename}/${slug}` : filename)

function readName(text: string) {
  const [, filename = text, slug] = /^(.*)\/([a-z0-9-]+)$/s.exec(text) ?? []
  return { filename, slug }
}

export const putNamesBack: PutBack = async (transaction, items) => {
  const ids = items.map(mediaIdOf)
  const columns = ['id', 'filename', 'public_slug'] as const
  const rows = await transaction.selectFrom('media').select(columns).where('id', 'in', ids).execute()
  const now = new Map(rows.map((row) => [row.id, row]))
  const unchanged = items.flatMap((item) => {
    const [before, after] = [readName(item.input!), readName(item.output!)]
    const row = now.get(mediaIdOf(item))
    return row?.filename === after.filename ? { row, before, after } : []
  })
  await updateNames(
    transaction,
    unchanged.map(({ row, before }) => ({ id: row.id, filename: before.filename })),
  )
  for (const { row, before, after } of unchanged) {
    if (!before.slug || row.public_slug !== after.slug) continue
    // An earlier address that the owner has ended stays ended, and another item may have it by now.
    const holder = await findSlugTarget(transaction, 'media', before.slug)
    if (holder === row.id) await setAddress(transaction, row.id, before.slug)
  }
  return unchanged.map(({ row }) => row.id)
}
