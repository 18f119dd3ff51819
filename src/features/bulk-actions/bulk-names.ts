import { keepExtension, safeTypedName, splitExtension } from '#shared/filenames.ts'

export type Naming = { baseName?: string; prefix?: string }

/**
 * `{prefix}{baseName}-{n}` with the number padded to the count; without a base name `{prefix}{current name}`. The file's
 * extension is always kept.
 */
export function bulkName(
  current: string,
  { index, count }: { index: number; count: number },
  { baseName, prefix = '' }: Naming,
) {
  if (!baseName) return safeTypedName(keepExtension(`${prefix}${current}`, current))
  const number = String(index + 1).padStart(String(count).length, '0')
  const { extension } = splitExtension(current)
  const name = safeTypedName(`${prefix}${baseName}-${number}${extension}`)
  // A name that is too long is cut off at its end, which removes the number.
  const isWhole = name.endsWith(`-${number}${extension}`)
  return isWhole ? name : safeTypedName(`${prefix}${baseName}${extension}`, `-${number}`)
}
