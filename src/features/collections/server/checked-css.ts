import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Branding } from '#features/websites/branding.ts'
import { brandingOf } from '#features/websites/server/branding.ts'
import type { Db } from '#platform/server/db/tables.ts'

/**
 * [Note: Custom CSS is checked when it is saved] Parsing 20 kB takes tens of milliseconds of the only thread, so it must
 * not happen when strangers ask. Custom CSS is rare, so its parser is loaded on first use.
 */
export async function checkedCssOf({ customCss }: Pick<Branding, 'customCss'>) {
  if (!customCss) return null
  const { checkCss } = await import('./custom-css.ts')
  return checkCss(customCss).css || null
}

const rowsAtOnce = 100

/** For restored rows: a backup does not contain the checked CSS, because anyone may have written the backup. */
export async function checkRestoredCss(db: Db) {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('collections')
      .select(['id', 'branding'])
      .where('id', '>', last)
      .where('branding', 'is not', null)
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute()
    if (rows.length === 0) return
    for (const row of rows) {
      const css = await checkedCssOf(brandingOf(row))
      if (css) await db.updateTable('collections').set({ checked_css: css }).where('id', '=', row.id).execute()
      await nextTurn()
    }
    last = rows.at(-1)!.id
  }
}
