import type { FastifyRequest } from 'fastify'
import { type Kysely, sql } from 'kysely'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { findHolders } from '#features/media/server/listing/collection-items.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import type { Row, Tables } from '#platform/server/db/tables.ts'
import { acceptedLanguages, canonicalLanguage, findLanguage } from '#shared/languages.ts'

/** The languages in which a page describes its items, and whose rights it states for items without their own. */
export type PageWords = {
  /** The most wanted first; "*" is any. */
  languages: string[]
  creator: string | null
  licence: string | null
}

/** For what shows no alt texts, such as a style sheet, or no certain language. */
export const noWords: PageWords = { languages: ['*'], creator: null, licence: null }

type Website = Pick<Row<'websites'>, 'languages' | 'creator' | 'licence'>

/** As many wanted languages as are told apart, since each list of them is a page of its own in the cache. */
const maxWanted = 3

/** `lang` comes from the address; without it the visitor's browser decides among the languages of the website. */
export async function wordsOfCollection(
  db: Kysely<Tables>,
  { website_id }: Pick<CollectionRow, 'website_id'>,
  request: FastifyRequest,
  lang?: string,
) {
  return choose(website_id === null ? undefined : await findWebsite(db, website_id), request, lang)
}

/** The website of an item is that of the first collection that has one. */
export async function wordsOfMedia(db: Kysely<Tables>, mediaId: number, request: FastifyRequest, lang?: string) {
  const website = (await findWebsiteOfMedia(db, mediaId)) ?? (await findWebsiteOfSmart(db, mediaId))
  return choose(website, request, lang)
}

async function findWebsiteOfSmart(db: Kysely<Tables>, mediaId: number) {
  for await (const { website_id } of findHolders(db, mediaId, (collection) => collection.website_id !== null))
    return findWebsite(db, website_id!)
  return undefined
}

function choose(website: Website | undefined, request: FastifyRequest, lang: string | undefined): PageWords {
  const accepted = acceptedLanguages(request.headers['accept-language'])
  if (!website) {
    const known = accepted.flatMap((range) => canonicalLanguage(range) ?? [])
    const wanted = [...new Set(lang ? [lang] : known)].slice(0, maxWanted)
    return { languages: [...wanted, '*'], creator: null, licence: null }
  }
  const offered: string[] = JSON.parse(website.languages)
  const wanted = lang ?? findLanguage(accepted, offered)
  const { creator, licence } = website
  return { languages: [...new Set(wanted ? [wanted, ...offered] : offered)], creator, licence }
}

const findWebsite = prepareQuery((db, id: number) =>
  db.selectFrom('websites').select(['languages', 'creator', 'licence']).where('id', '=', id),
)

const findWebsiteOfMedia = prepareQuery((db, mediaId: number) =>
  db
    .selectFrom('websites')
    .innerJoin('collections', 'collections.website_id', 'websites.id')
    .innerJoin('collection_media', 'collection_media.collection_id', 'collections.id')
    .select(['websites.languages', 'websites.creator', 'websites.licence'])
    .where('collection_media.media_id', '=', mediaId)
    .orderBy('collection_media.added_at')
    .orderBy('collections.id')
    .limit(sql.lit(1)),
)
