import ArrowRight from 'lucide-react/icons/arrow-right'

type BeforeAndAfterProps = { names: { key: number; from?: string; to?: string }[] }

/** A few names before and after a change. The height is kept while the names load. */
export function BeforeAndAfter({ names }: BeforeAndAfterProps) {
  return (
    <ul aria-label="Preview" className="space-y-1">
      {names.map(({ key, from, to }) => (
        <li key={key} className="grid min-h-5 grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)] items-center gap-2">
          {from !== undefined && (
            <>
              <span className="truncate text-muted">{from}</span>
              <ArrowRight role="img" aria-label="becomes" className="size-4 text-faint" />
              <span className="truncate">{to}</span>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
