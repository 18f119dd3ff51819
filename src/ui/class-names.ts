/** Joins class names, skipping empty ones. Conflicts are not resolved, so pass only layout classes to a primitive. */
export function classNames(...parts: (string | false | null | undefined)[]): string {
  return parts.filter(Boolean).join(' ')
}
