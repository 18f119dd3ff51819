import { initialsOf } from './initials.ts'

/** Initials in a circle. Decoration: the name stands beside it or on the button around it. */
export function Avatar({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      className="inline-grid size-8 shrink-0 select-none place-items-center rounded-full border border-line-strong bg-raised font-semibold text-muted text-xs tracking-wide"
    >
      {initialsOf(name)}
    </span>
  )
}
