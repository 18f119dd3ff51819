type OfWebsite = { websiteId: number | null }
type WebsiteName = { id: number; name: string }

/** A heading above collections: a website's name, or none for collections without a website. */
type Group<T> = { website: WebsiteName | null; collections: T[] }

/**
 * Collections below the names of their websites, those without one at the end. With fewer than two websites, headings
 * would say nothing, and there is one group without a heading.
 */
export function groupByWebsite<T extends OfWebsite>(
  collections: readonly T[],
  websites: readonly WebsiteName[],
): Group<T>[] {
  const groups: Group<T>[] = websites
    .map((website) => ({ website, collections: collections.filter(({ websiteId }) => websiteId === website.id) }))
    .filter((group) => group.collections.length > 0)
  if (groups.length < 2) return [{ website: null, collections: [...collections] }]
  const grouped = new Set(groups.flatMap((group) => group.collections))
  const others = collections.filter((collection) => !grouped.has(collection))
  return others.length === 0 ? groups : [...groups, { website: null, collections: others }]
}
