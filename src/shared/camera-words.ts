/** What cameras write into pictures and films, cleaned: the values come from strangers. */

/** One line of at most 100 characters without control, invisible or direction-changing ones. */
export function toLine(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const line = value
    .slice(0, 500)
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return Array.from(line).slice(0, 100).join('').trim() || undefined
}

/** `Canon` + `Canon EOS R5` is one name, `NIKON CORPORATION` + `NIKON Z 9` too; `Apple` + `iPhone 15` is two. */
export function nameCamera(make = '', model = ''): string | undefined {
  const brand = make.split(' ')[0]!.toLowerCase()
  const name = model.toLowerCase().startsWith(brand) ? model : `${make} ${model}`
  return name.trim() || make || undefined
}

/** Whether `2024-02-31T12:00:00` stands in the calendar, which rolls it over into March: no camera ever wrote it. */
export function isRealTime(time: string): boolean {
  const parsed = new Date(`${time}Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(time)
}
