import { maxUploadBytes } from '#features/media/contract.ts'
import { mediaMimeTypes } from '#features/media/mime-types.ts'
import { countOf } from '#shared/count.ts'
import { supportedFormats } from '../contract.ts'

/** What browsers call the accepted types; only the server, which reads the bytes, decides. */
const acceptedTypes: string[] = [...mediaMimeTypes, 'image/jpg', 'video/mov', 'video/avi']
const acceptedExtensions = ['.jpg', '.jpeg', '.png', '.gif', '.webp', '.mp4', '.mov', '.avi']
/** Words that say nothing, or that only some systems have for AVI: then the name decides. */
const vagueTypes = ['', 'application/octet-stream', 'video/vnd.avi', 'video/msvideo']

/** For the picker of the system. */
export const acceptAttribute = [...acceptedTypes, ...acceptedExtensions].join(',')

const rejectionNotice = {
  title: 'Some files were rejected',
  description: `Only images and videos under 500MB are supported. ${supportedFormats}`,
}

/** What is told about files that are not added: of another kind or too large, or not given by the system. */
export function leftOutNotice(rejected: number, unreadable: number) {
  if (unreadable === 0) return rejected > 0 ? rejectionNotice : undefined
  const sentence = `${countOf(unreadable, 'file or folder', 'files or folders')} could not be read. Check that you may open them and try again.`
  if (rejected === 0) return { title: 'Some files could not be read', description: sentence }
  return { ...rejectionNotice, description: `${rejectionNotice.description} ${sentence}` }
}

export function isAcceptedFile({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): boolean {
  if (size > maxUploadBytes) return false
  if (acceptedTypes.includes(type.toLowerCase())) return true
  const hasAcceptedName = acceptedExtensions.some((extension) => name.toLowerCase().endsWith(extension))
  return vagueTypes.includes(type.toLowerCase()) && hasAcceptedName
}

export function sortOutFiles(files: readonly File[]): { accepted: File[]; rejected: File[] } {
  const { accepted = [], rejected = [] } = Object.groupBy(files, (file) =>
    isAcceptedFile(file) ? 'accepted' : 'rejected',
  )
  return { accepted, rejected }
}
