import { classNames } from '../class-names.ts'

/** A key, or keys separated by spaces: "Shift K". Not shown where there is no keyboard. */
export function Kbd({ keys, className }: { keys: string; className?: string }) {
  return (
    <span className={classNames('inline-flex gap-0.5 pointer-coarse:hidden', className)}>
      {keys.split(' ').map((key) => (
        <kbd
          key={key}
          className="inline-grid h-4.5 min-w-4.5 place-items-center rounded-sm border border-line-strong px-1 font-sans text-xs text-muted leading-none"
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}
