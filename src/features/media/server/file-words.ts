import type { PictureWords } from '#engines/metadata/picture-words.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { canonicalLanguage } from '#shared/languages.ts'
import { Tag } from '../contract.ts'
import {
  maxAltTextLength,
  maxAltTexts,
  maxDescriptionLength,
  maxRightsLength,
  maxTags,
  maxTitleLength,
} from '../limits.ts'
import { isSourceUrl } from '../words-contract.ts'
import type { Owned } from './owned.ts'
import { listTags, updateMedia } from './store.ts'
import { insertTags, listRemovedTags } from './tags.ts'
import type { MediaRow } from './to-media.ts'
import { altTextsOf } from './words.ts'

/**
 * [Note: Words of a file] What another program wrote into a file (IPTC, XMP) fills the words that are empty when the file
 * arrives. It never replaces what a person wrote, and brings no tag back that a person removed.
 */
export async function addFileWords(db: Db, media: Owned<MediaRow>, words: PictureWords): Promise<Owned<MediaRow>> {
  await addKeywords(db, media, words.keywords ?? [])
  const found = {
    title: shortened(words.title, maxTitleLength),
    user_description: shortened(words.description, maxDescriptionLength),
    creator: shortened(words.creator, maxRightsLength),
    credit: shortened(words.credit, maxRightsLength),
    licence: shortened(words.rights, maxRightsLength),
    source_url: words.source && isSourceUrl(words.source) ? words.source : undefined,
    alt_texts: joinAltTexts(media, words.altTexts ?? {}),
  }
  const isNew = (name: string, value: unknown) =>
    value && (name === 'alt_texts' ? value !== media.alt_texts : media[name as keyof typeof found] === null)
  const added = Object.entries(found).filter(([name, value]) => isNew(name, value))
  if (added.length === 0) return media
  return (await updateMedia(db, media.id, Object.fromEntries(added))) as Owned<MediaRow>
}

const shortened = (text: string | undefined, maxLength: number) => text?.slice(0, maxLength).toWellFormed().trim()

/** Where a file names no language, its text is taken as English. */
const unknownLanguage = 'en'

function joinAltTexts(media: MediaRow, found: Record<string, string>): string | null {
  const { 'x-default': unknown, ...named } = found
  const known = Object.entries(named).flatMap(([tag, text]): [string, string][] => {
    const language = canonicalLanguage(tag)
    return language ? [[language, text]] : []
  })
  // Programs repeat one of the texts as the default.
  const isRepeated = unknown === undefined || known.some(([, text]) => text === unknown)
  const fromFile = Object.fromEntries([...(isRepeated ? [] : [[unknownLanguage, unknown]]), ...known])
  const own = altTextsOf(media)
  const added = Object.entries<string>(fromFile)
    .filter(([language]) => !(language in own))
    .map(([language, text]) => [language, shortened(text, maxAltTextLength)])
  const texts = [...Object.entries(own), ...added].slice(0, maxAltTexts)
  return texts.length > 0 ? JSON.stringify(Object.fromEntries(texts)) : null
}

async function addKeywords(db: Db, { id, owner_id }: Owned<MediaRow>, keywords: string[]) {
  const wanted = keywords.flatMap((keyword) => Tag.safeParse(keyword).data ?? [])
  if (wanted.length === 0) return
  const present = await listTags(db, [id])
  const unwanted = new Set([...present.map(({ tag }) => tag), ...(await listRemovedTags(db, id))])
  const tags = [...new Set(wanted)].filter((tag) => !unwanted.has(tag)).slice(0, Math.max(0, maxTags - present.length))
  const after = Math.max(-1, ...present.map(({ position }) => position))
  await insertTags(db, [{ id, owner_id, after, tags }])
}
