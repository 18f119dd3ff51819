export const resultPageSizes = [12, 24, 48, 96] as const
export type ResultPageSize = (typeof resultPageSizes)[number]

export type ResultsView = { layout: 'grid' | 'list'; page: number; pageSize: ResultPageSize }
export const firstView: ResultsView = { layout: 'grid', page: 1, pageSize: 24 }

/** Changing the page size returns to the first page. */
export function changeView(view: ResultsView, change: Partial<ResultsView>): ResultsView {
  return { ...view, ...(change.pageSize !== undefined && { page: 1 }), ...change }
}

export function pageOf<T>(items: readonly T[], { page, pageSize }: Pick<ResultsView, 'page' | 'pageSize'>) {
  const pageCount = Math.max(1, Math.ceil(items.length / pageSize))
  const shownPage = Math.min(Math.max(1, page), pageCount)
  return {
    items: items.slice((shownPage - 1) * pageSize, shownPage * pageSize),
    page: shownPage,
    pageCount,
    hasPrevious: shownPage > 1,
    hasNext: shownPage < pageCount,
  }
}

/** "Page 1 of 3, Showing 24 of 60 images". */
export function pageSummary(
  { page, pageCount, items }: { page: number; pageCount: number; items: readonly unknown[] },
  total: number,
) {
  return `Page ${page} of ${pageCount}, Showing ${items.length} of ${total} images`
}
