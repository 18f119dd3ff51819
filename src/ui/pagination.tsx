import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import ChevronsLeft from 'lucide-react/icons/chevrons-left'
import ChevronsRight from 'lucide-react/icons/chevrons-right'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

type PaginationProps = {
  page: number
  pageCount: number
  onPageChange: (page: number) => void
  label?: string
  /** Shown at the end of the row, e.g. a page size. */
  trailing?: ReactNode
  className?: string
}

export function Pagination({ page, pageCount, onPageChange, label = 'Pages', trailing, className }: PaginationProps) {
  const last = Math.max(1, pageCount)
  return (
    <nav
      aria-label={label}
      className={classNames('flex flex-wrap items-center justify-center gap-x-4 gap-y-2', className)}
    >
      <div className="flex flex-wrap items-center justify-center gap-1">
        <PageButton label="First" icon={<ChevronsLeft />} isInactive={page <= 1} onClick={() => onPageChange(1)} />
        <PageButton
          label="Previous"
          icon={<ChevronLeft />}
          isInactive={page <= 1}
          onClick={() => onPageChange(page - 1)}
        />
        <span aria-live="polite" aria-atomic="true" className="figures px-2 text-muted text-sm">
          Page {page} of {last}
        </span>
        <PageButton
          label="Next"
          icon={<ChevronRight />}
          isIconLast
          isInactive={page >= last}
          onClick={() => onPageChange(page + 1)}
        />
        <PageButton
          label="Last"
          icon={<ChevronsRight />}
          isIconLast
          isInactive={page >= last}
          onClick={() => onPageChange(last)}
        />
      </div>
      {trailing}
    </nav>
  )
}

type PageButtonProps = {
  label: string
  icon: ReactNode
  isIconLast?: boolean
  isInactive: boolean
  onClick: () => void
}

/** Shows the label too, except on phones. */
function PageButton({ label, icon, isIconLast = false, isInactive, onClick }: PageButtonProps) {
  return (
    <Button variant="quiet" size="sm" isInactive={isInactive} onClick={onClick} className="max-sm:w-9 max-sm:px-0">
      {!isIconLast && icon}
      <span className="max-sm:sr-only">{label}</span>
      {isIconLast && icon}
    </Button>
  )
}
