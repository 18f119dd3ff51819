import type { Month } from '../../finding-contract.ts'

const countOf = (months: readonly Month[]) => {
  const last = months.at(-1)
  return last ? last.offset + last.count : 0
}

/** Where a month begins in the whole list, from 0 to 1. */
export const startOfMonth = (months: readonly Month[], index: number) => months[index]!.offset / countOf(months)

/** The month at a point of the list, from 0 to 1. */
export function monthAt(months: readonly Month[], point: number) {
  const position = Math.max(0, point) * countOf(months)
  return Math.max(
    0,
    months.findLastIndex(({ offset }) => offset <= position),
  )
}

/** The page that has the first item of a month. */
export const pageOfMonth = ({ offset }: Pick<Month, 'offset'>, pageSize: number) => Math.floor(offset / pageSize) + 1

/** Labels closer than this would overlap. */
const minGap = 0.05

/** The years to show along the list, and where each begins. */
export function yearsAlong(months: readonly Month[]) {
  const years: { year: string; start: number }[] = []
  for (const [index, { month }] of months.entries()) {
    const year = month.slice(0, 4)
    const start = startOfMonth(months, index)
    const last = years.at(-1)
    if (last?.year !== year && (!last || start - last.start >= minGap)) years.push({ year, start })
  }
  return years
}
