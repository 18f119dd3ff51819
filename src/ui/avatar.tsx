import { classNames } from './class-names.ts'
import { initialsOf } from './initials.ts'

const avatarClasses = classNames(
  'inline-grid size-8 shrink-0 select-none place-items-center rounded-full border border-line-strong bg-raised',
  'font-semibold text-muted text-xs tracking-wide',
)

/** Initials in a circle. Decorative: the name is next to it or on the button around it. */
export function Avatar({ name }: { name: string }) {
  return (
    <span aria-hidden="true" className={avatarClasses}>
      {initialsOf(name)}
    </span>
  )
}
