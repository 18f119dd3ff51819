import { classNames } from './class-names.ts'

/** A placeholder for loading content, sized by class. The list around it announces "Loading" once. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div
      aria-hidden="true"
      className={classNames('animate-breathe motion-reduce:animate-none rounded-sm bg-line', className)}
    />
  )
}
