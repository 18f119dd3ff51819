import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { ScrollArea } from './scroll-area.tsx'

type TableProps = {
  label: string
  /** From this height on, e.g. "600px", the body scrolls under the head. */
  maxHeight?: string
  className?: string
  /** A thead and a tbody. */
  children: ReactNode
}

export function Table({ label, maxHeight, className, children }: TableProps) {
  return (
    <ScrollArea label={label} maxHeight={maxHeight} className={className}>
      <table className="w-full border-separate border-spacing-0 text-sm">{children}</table>
    </ScrollArea>
  )
}

type CellProps = { isNumeric?: boolean }

/** A sticky column header. */
export function HeadCell({ isNumeric, className, ...props }: ComponentProps<'th'> & CellProps) {
  return (
    <th
      scope="col"
      {...props}
      className={classNames(
        'sticky top-0 z-10 h-9 whitespace-nowrap border-line border-b bg-raised px-3',
        'font-medium text-muted first:pl-4 last:pr-4',
        isNumeric ? 'text-right' : 'text-left',
        className,
      )}
    />
  )
}

type Column = CellProps & { label: string; isHidden?: boolean }

/** The header row. A hidden label is only announced, e.g. above buttons with labels of their own. */
export function Head({ columns }: { columns: Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ label, isNumeric, isHidden }) => (
          <HeadCell key={label} isNumeric={isNumeric}>
            {isHidden ? <span className="sr-only">{label}</span> : label}
          </HeadCell>
        ))}
      </tr>
    </thead>
  )
}

export function Row({ className, ...props }: ComponentProps<'tr'>) {
  return <tr {...props} className={classNames('hover:bg-hover [&:last-child>*]:border-b-0', className)} />
}

export function Cell({ isNumeric, className, ...props }: ComponentProps<'td'> & CellProps) {
  return <td {...props} className={cellClasses(isNumeric, className)} />
}

/** The row's header cell, which screen readers announce with the row's other cells. */
export function RowHead({ isNumeric, className, ...props }: ComponentProps<'th'> & CellProps) {
  return (
    <th
      scope="row"
      {...props}
      className={classNames('font-normal', !isNumeric && 'text-left', cellClasses(isNumeric, className))}
    />
  )
}

function cellClasses(isNumeric?: boolean, className?: string) {
  return classNames(
    'h-10 border-line border-b px-3 py-1.5 first:pl-4 last:pr-4',
    isNumeric && 'figures whitespace-nowrap text-right',
    className,
  )
}

/** A sticky cell for the row's actions; the other cells scroll under it, so it is visible on every screen. */
export function ActionCell({ className, ...props }: ComponentProps<'td'>) {
  return (
    <Cell
      {...props}
      className={classNames('sticky right-0 bg-surface from-hover to-hover [tr:hover>&]:bg-linear-to-r', className)}
    />
  )
}
