const units = ['B', 'KB', 'MB', 'GB']

type Format = { digits?: number; isTrimmed?: boolean; smallestUnit?: string }

/** Base 1024, one decimal: "0 B", "512 B", "1.5 KB". The database viewer shows up to two decimals. */
export function formatBytes(bytes: number, { digits = 1, isTrimmed = false, smallestUnit = 'B' }: Format = {}) {
  let power = 0
  // A value that rounds up to 1024 is shown as 1 of the next unit.
  while (power < units.length - 1 && Number((bytes / 1024 ** power).toFixed(power && digits)) >= 1024) power++
  if (power === 0) return `${Math.round(bytes)} ${smallestUnit}`
  const value = (bytes / 1024 ** power).toFixed(digits)
  return `${isTrimmed ? Number(value) : value} ${units[power]}`
}

/** The admin panel spells the unit out: "512 Bytes". */
export const bytesInWords = (bytes: number) => formatBytes(bytes, { smallestUnit: 'Bytes' })
