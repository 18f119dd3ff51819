import { classNames } from '../class-names.ts'

const keyClasses = classNames(
  'inline-grid h-4.5 min-w-4.5 place-items-center rounded-sm border border-line-strong px-1',
  'font-sans text-xs text-muted leading-none',
)

/** One or more keys, separated by spaces: "Shift K". Hidden on touch devices. */
export function Kbd({ keys, className }: { keys: string; className?: string }) {
  return (
    <span className={classNames('inline-flex gap-0.5 pointer-coarse:hidden', className)}>
      {keys.split(' ').map((key) => (
        <kbd key={key} className={keyClasses}>
          {key}
        </kbd>
      ))}
    </span>
  )
}
