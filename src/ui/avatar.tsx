import { classNames } from './class-names.ts'
import { initialsOf } from './initials.ts'

const sizes = { sm: 'size-6 text-[0.625rem]', md: 'size-8 text-xs', lg: 'size-10 text-base' }

/** Initials in a circle. Decoration: the name stands beside it or on the button around it. */
export function Avatar({ name, size = 'md' }: { name: string; size?: keyof typeof sizes }) {
  return (
    <span
      aria-hidden="true"
      data-initials={initialsOf(name)}
      className={classNames(
        'inline-grid shrink-0 select-none place-items-center rounded-full border border-line-strong bg-raised font-semibold text-muted tracking-wide before:content-[attr(data-initials)]',
        sizes[size],
      )}
    />
  )
}
