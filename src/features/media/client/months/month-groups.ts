import type { Media } from '../../contract.ts'
import { isOfSimilar, type LibraryView, shownSort } from '../../library-view.ts'

/** The date by which a list is ordered. */
export type DateKind = 'taken' | 'added'

type Dated = Pick<Media, 'takenAt' | 'createdAt'>
/** Items of one month that follow one another; `first` is the index of the first one in the page. */
type MonthGroup<Item extends Dated> = { month: string; first: number; items: Item[] }

/** The date by which the view is ordered; undefined in any other order. */
export function dateKindOf(view: LibraryView): DateKind | undefined {
  if (isOfSimilar(view) || view.filter === 'trash') return undefined
  const sort = shownSort(view)
  return sort === 'taken' ? 'taken' : sort === 'recent' ? 'added' : undefined
}

/** Such as "2019-07". Without a date of the camera, that of the upload counts, in UTC as on the server. */
const monthOf = ({ takenAt, createdAt }: Dated, kind: DateKind) =>
  ((kind === 'taken' && takenAt) || createdAt).slice(0, 7)

export function groupByMonth<Item extends Dated>(media: readonly Item[], kind: DateKind): MonthGroup<Item>[] {
  const groups: MonthGroup<Item>[] = []
  for (const [index, item] of media.entries()) {
    const month = monthOf(item, kind)
    const last = groups.at(-1)
    if (last?.month === month) last.items.push(item)
    else groups.push({ month, first: index, items: [item] })
  }
  return groups
}

/** "July 2019". */
export const monthLabel = (month: string) =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
