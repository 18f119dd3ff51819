/** Cleans the values that cameras write into images and videos. The files are untrusted input. */

/** Returns one line of at most 100 characters without control, invisible or direction-changing ones. */
export function toLine(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const line = value
    .slice(0, 500)
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return Array.from(line).slice(0, 100).join('').trim() || undefined
}

/** Joins make and model, and drops the make where the model repeats it: `Canon` + `Canon EOS R5`, but `Apple` + `iPhone 15`. */
export function nameCamera(make = '', model = ''): string | undefined {
  const brand = make.split(' ')[0]!.toLowerCase()
  const name = model.toLowerCase().startsWith(brand) ? model : `${make} ${model}`
  return name.trim() || make || undefined
}

/** `Date` rolls an impossible day such as February 31 over into March, so the result is compared with the input. */
export function isRealTime(time: string): boolean {
  const parsed = new Date(`${time}Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(time)
}
