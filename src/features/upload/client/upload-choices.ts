import { shownFileLimit } from '../contract.ts'
import { customName } from '../custom-name.ts'

/** The dialog's options as a person sets them. */
export type UploadChoices = { hasAi: boolean; keepsWebpNames: boolean; hasCustomNaming: boolean; prefix: string }

export const usualChoices: UploadChoices = { hasAi: true, keepsWebpNames: true, hasCustomNaming: false, prefix: '' }

export function limitWords({ hasAi }: Pick<UploadChoices, 'hasAi'>): string {
  return `Up to ${hasAi ? shownFileLimit.withAi : shownFileLimit.withoutAi} files`
}

/** What travels with each file. */
export function toUploadFields(choices: UploadChoices, sequence: number): Record<string, string> {
  const prefix = choices.prefix.trim()
  return {
    enableAi: String(choices.hasAi),
    preserveOriginalName: String(choices.keepsWebpNames),
    ...(choices.hasCustomNaming && { useCustomNaming: 'true', ...(prefix && { uploadPrefix: prefix }) }),
    sequenceStart: String(sequence),
  }
}

/** How the first file will be called, so that nobody has to guess. */
export function exampleName(prefix: string, filename = 'IMG_2041.jpg'): string {
  return customName(filename, 1, prefix.trim())
}
