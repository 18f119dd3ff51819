import { problemOf } from '#features/media/name-pattern.ts'
import { fileNameWords } from '#shared/name-words.ts'
import { nameFrom, uniqueWebNames } from '#shared/web-names.ts'
import { customName } from '../custom-name.ts'
import { shownFileLimit } from '../limits.ts'

/** The options of the dialog. */
export type UploadChoices = {
  hasAi: boolean
  keepsWebpNames: boolean
  hasCustomNaming: boolean
  prefix: string
  /** At most one of web names and custom naming is on. */
  hasWebNames: boolean
  pattern: string
}

export const defaultChoices: UploadChoices = {
  hasAi: true,
  keepsWebpNames: true,
  hasCustomNaming: false,
  prefix: '',
  hasWebNames: false,
  pattern: '',
}

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
    // A pattern with a problem is shown in the dialog; until it is corrected, the default one is used.
    ...(choices.hasWebNames && { namePattern: problemOf(choices.pattern) ? '' : choices.pattern.trim() }),
    sequenceStart: String(sequence),
  }
}

/** An example of a custom name: that of the first file. */
export function exampleName(prefix: string, filename = 'IMG_2041.jpg'): string {
  return customName(filename, 1, prefix.trim())
}

type WebNaming = { pattern: string; website?: string; collection?: string }

/** The web names that files get, as far as they are known before the upload. */
export function webNamesFor(filenames: string[], { pattern, ...naming }: WebNaming): string[] {
  const freeName = uniqueWebNames()
  const date = new Date().toISOString().slice(0, 10)
  return filenames.map((filename, index) => {
    const subject = fileNameWords(filename).join(' ')
    return freeName(nameFrom(pattern, { ...naming, subject, date, n: index + 1, count: index + 1 }, filename))
  })
}
