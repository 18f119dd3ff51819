import { classNames } from './class-names.ts'

/** The shape of what is coming. Give it its size by class; the list around it says "Loading" once. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div
      aria-hidden="true"
      className={classNames('animate-breathe motion-reduce:animate-none rounded-sm bg-line', className)}
    />
  )
}
