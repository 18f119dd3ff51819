import type { User } from '#features/auth/contract.ts'
import { hashPassword } from '#features/auth/server/passwords.ts'
import { type CollectionRow, loadOwnedCollection, updateCollection } from '#features/collections/server/store.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { Branding } from '#features/websites/branding.ts'
import { brandingOf } from '#features/websites/server/branding.ts'
import { invalid } from '#platform/errors.ts'
import type { Database } from '#platform/server/db/database.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { type SharingChanges, type SharingOptions, sharingApi } from '../contract.ts'
import { noWords } from './page-words.ts'
import { previewPage } from './pages/collection-page.ts'
import { type ClientAssets, html, loadClientAssets, trusted } from './pages/document.ts'
import { pageStyle } from './pages/page-style.ts'
import { findBrandingPicture, listViewsByDay } from './store.ts'
import { viewOf } from './to-public.ts'
import { dayOf } from './views.ts'

type Services = { db: Database['db']; events: Events; clientDir: string }

/** The owner's settings and statistics. */
export function sharingRoutes(scope: Scope<User>, { db, events, clientDir }: Services) {
  const load = (user: User, id: number) => loadOwnedCollection(db, user.id, id)

  handle(scope, sharingApi.options, async ({ params }, { user }) => optionsOf(await load(user, params.id)))
  handle(scope, sharingApi.changeOptions, async ({ params, body }, { user }) => {
    const options = await changeOptions(db, await load(user, params.id), body)
    await events.publish(user.id, { type: 'collections' })
    return options
  })
  handle(scope, sharingApi.statistics, async ({ params }, { user }) => viewStatistics(db, await load(user, params.id)))
  handle(scope, sharingApi.preview, async ({ params, body }, { user }) =>
    previewCollection(db, await load(user, params.id), body, await loadClientAssets(clientDir)),
  )
}

function optionsOf(row: CollectionRow): SharingOptions {
  const expiresAt = row.share_expires_at
  return {
    hasPassword: row.password_hash !== null,
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    isExpired: expiresAt !== null && expiresAt <= Date.now(),
    allowsDownload: row.allows_download === 1,
  }
}

async function changeOptions(db: Db, collection: Owned<CollectionRow>, changes: SharingChanges) {
  const { password, expiresAt, allowsDownload } = changes
  const end = expiresAt ? Date.parse(expiresAt) : null
  if (end !== null && end <= Date.now()) {
    throw invalid('The link must expire in the future. To close it now, make it private.', { field: 'expiresAt' })
  }
  const row = await updateCollection(db, collection.id, {
    ...(password !== undefined && { password_hash: password === null ? null : await hashPassword(password) }),
    ...(expiresAt !== undefined && { share_expires_at: end }),
    ...(allowsDownload !== undefined && { allows_download: allowsDownload ? (1 as const) : (0 as const) }),
  })
  return optionsOf(row)
}

const shownDays = 30
const dayMs = 24 * 3600_000

/** Each of the last thirty days, including those without a visitor. */
async function viewStatistics(db: Db, collection: Owned<CollectionRow>) {
  const days = Array.from({ length: shownDays }, (_, index) => dayOf(Date.now() - (shownDays - 1 - index) * dayMs))
  const rows = await listViewsByDay(db, 'collection', collection.id, days[0]!)
  const views = new Map(rows.map((row) => [row.day, row.views]))
  return { total: collection.view_count, days: days.map((day) => ({ day, views: views.get(day) ?? 0 })) }
}

const shownTiles = 12

/** Renders the page with unsaved branding for a frame in the owner's dialog. Nothing is stored. */
async function previewCollection(db: Db, collection: Owned<CollectionRow>, branding: Branding, assets: ClientAssets) {
  const { checkCss } = await import('#features/collections/server/custom-css.ts')
  const checked = branding.customCss === undefined ? undefined : checkCss(branding.customCss)
  const branded = {
    ...collection,
    branding: JSON.stringify({ ...brandingOf(collection), ...branding }),
    ...(checked && { checked_css: checked.css }),
  }
  const view = await viewOf(db, branded, { origin: '', words: noWords, page: 1, limit: shownTiles })
  // It consists of validated colors and rebuilt CSS, which contains no `<`.
  const style = html`<style>${trusted(pageStyle(branded, view))}</style>`
  const pictures = view.media.flatMap(({ colours }) => colours)
  // Another website's logo is not fetched.
  const logo = await findBrandingPicture(db, collection.owner_id, view.collection.customBranding.logoUrl)
  const colours = { logo: logo?.colours ? JSON.parse(logo.colours) : [], pictures }
  return { html: previewPage(view, { assets, style }), refused: checked?.refused ?? [], colours }
}
