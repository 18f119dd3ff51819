/** The first and last value of a range, both included; one that is missing is open. */
export type Range = { from?: number; to?: number }
/** The same for days, such as "2026-05-17". */
export type Days = { from?: string; to?: string }

/** `>2mb`, `>=2mb`, `<2mb`, `<=2mb`, `1mb..2mb`, `1mb..`, `..2mb` and `2mb`. */
const limit = /^(>=|<=|>|<)(.+)$/

type Reader<Value> = {
  /** The first and last value of what was typed: 2024 begins and ends a year apart. */
  read(text: string): { first: Value; last: Value } | undefined
  next(value: Value): Value
  previous(value: Value): Value
}

function parseRange<Value>(text: string, { read, next, previous }: Reader<Value>) {
  const limited = limit.exec(text)
  if (limited) {
    const value = read(limited[2]!)
    if (!value) return undefined
    if (limited[1] === '>') return { from: next(value.last) }
    if (limited[1] === '>=') return { from: value.first }
    return { to: limited[1] === '<' ? previous(value.first) : value.last }
  }
  const [start = '', end, ...more] = text.split('..')
  if (more.length > 0 || (start === '' && !end)) return undefined
  const [first, last] = [start, end ?? start].map((each) => (each === '' ? null : read(each)))
  if (first === undefined || last === undefined) return undefined
  if (first && last && first.first > last.last) return undefined
  return { ...(first && { from: first.first }), ...(last && { to: last.last }) }
}

const units: Record<string, number> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }
const integers = { next: (value: number) => value + 1, previous: (value: number) => value - 1 }

/** A size alone is a rounded number that few files have exactly, so it needs a limit or a range. */
export function parseBytes(text: string): Range | undefined {
  if (!limit.test(text) && !text.includes('..')) return undefined
  return parseRange(text, { read: readBytes, ...integers })
}

function readBytes(text: string) {
  const found = /^(\d{1,12}(?:\.\d{1,3})?)(b|kb|mb|gb)?$/.exec(text)
  if (!found) return undefined
  const bytes = Math.round(Number(found[1]) * units[found[2] ?? 'b']!)
  return { first: bytes, last: bytes }
}

export const parsePixels = (text: string): Range | undefined => parseRange(text, { read: readPixels, ...integers })

function readPixels(text: string) {
  const found = /^(\d{1,6})(?:px)?$/.exec(text)
  return found ? { first: Number(found[1]), last: Number(found[1]) } : undefined
}

const dayMs = 24 * 3600_000
const moved = (day: string, days: number) => new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

/** "2024", "2024-05" or "2024-05-17". */
export const parseDays = (text: string): Days | undefined =>
  parseRange(text, { read: readDays, next: (day) => moved(day, 1), previous: (day) => moved(day, -1) })

function readDays(text: string) {
  const found = /^((?:1[89]|2[01])\d\d)(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text)
  if (!found) return undefined
  const [, year, month, day] = found
  const first = `${year}-${month ?? '01'}-${day ?? '01'}`
  // A day that does not exist, such as February 30, is moved into the next month or refused.
  const time = new Date(`${first}T00:00:00Z`)
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== first) return undefined
  if (day) return { first, last: first }
  const [y, m] = [Number(year), month ? Number(month) : 12]
  return { first, last: new Date(Date.UTC(y, m, 0)).toISOString().slice(0, 10) }
}
