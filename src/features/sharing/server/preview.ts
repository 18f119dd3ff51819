import type { Branding } from '#features/collections/contract.ts'
import { brandingOf, type CollectionRow } from '#features/collections/server/store.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { ClientAssets } from './pages/client-assets.ts'
import { previewPage } from './pages/collection-page.ts'
import { html, trusted } from './pages/html.ts'
import { pageStyle } from './pages/page-style.ts'
import { viewOf } from './view-of.ts'

const shownTiles = 12

/** The page itself with what is being typed, for a frame in the owner's dialog. Nothing is kept. */
export async function previewCollection(
  db: Db,
  collection: Owned<CollectionRow>,
  branding: Branding,
  assets: ClientAssets,
) {
  const branded = { ...collection, branding: JSON.stringify({ ...brandingOf(collection), ...branding }) }
  const view = await viewOf(db, branded, { origin: '', page: 1, limit: shownTiles })
  // Made by ourselves from checked colours and rewritten CSS, which has no `<` in it.
  const style = html`<style>${trusted(await pageStyle(branded, view.media))}</style>`
  const { checkCss } = await import('./custom-css.ts')
  return { html: previewPage(view, { assets, style }), refused: checkCss(branding.customCss ?? '').refused }
}
