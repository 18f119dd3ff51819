import { monthLabel } from './month-groups.ts'

/** The month of the items below it, at the top of the screen while they scroll. The scrubber finds it by `data-month`. */
export function MonthHeading({ month }: { month: string }) {
  return (
    <h2
      data-month={month}
      className="-mx-1 sticky top-14 z-10 mb-1 scroll-mt-14 bg-canvas px-1 py-2 font-medium text-sm"
    >
      {monthLabel(month)}
    </h2>
  )
}
