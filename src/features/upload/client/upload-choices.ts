import { customName } from '../custom-name.ts'
import { shownFileLimit } from '../limits.ts'

/** The options of the dialog. */
export type UploadChoices = { hasAi: boolean; keepsWebpNames: boolean; hasCustomNaming: boolean; prefix: string }

export const defaultChoices: UploadChoices = { hasAi: true, keepsWebpNames: true, hasCustomNaming: false, prefix: '' }

export function limitText({ hasAi }: Pick<UploadChoices, 'hasAi'>): string {
  return `Up to ${hasAi ? shownFileLimit.withAi : shownFileLimit.withoutAi} files`
}

/** The form fields sent with each file. */
export function toUploadFields(choices: UploadChoices, sequence: number): Record<string, string> {
  const prefix = choices.prefix.trim()
  return {
    enableAi: String(choices.hasAi),
    preserveOriginalName: String(choices.keepsWebpNames),
    ...(choices.hasCustomNaming && { useCustomNaming: 'true', ...(prefix && { uploadPrefix: prefix }) }),
    sequenceStart: String(sequence),
  }
}

/** An example of a custom name: that of the first file. */
export function exampleName(prefix: string, filename = 'IMG_2041.jpg'): string {
  return customName(filename, 1, prefix.trim())
}
