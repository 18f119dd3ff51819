/** Joins class names and leaves out what is absent. It does not resolve conflicts: pass layout classes to a primitive, not looks. */
export function classNames(...parts: (string | false | null | undefined)[]): string {
  return parts.filter(Boolean).join(' ')
}
