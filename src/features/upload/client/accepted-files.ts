import { maxUploadBytes } from '#features/media/contract.ts'

/** What browsers call the accepted types; only the server, which reads the bytes, decides. */
const acceptedTypes = [
  'image/jpeg',
  'image/jpg',
  'image/png',
  'image/gif',
  'image/webp',
  'video/mp4',
  'video/quicktime',
  'video/x-msvideo',
  'video/mov',
  'video/avi',
]
const acceptedExtensions = ['.jpg', '.jpeg', '.png', '.gif', '.webp', '.mp4', '.mov', '.avi']
/** Words that say nothing, or that only some systems have for AVI: then the name decides. */
const vagueTypes = ['', 'application/octet-stream', 'video/vnd.avi', 'video/msvideo']

/** For the picker of the system. */
export const acceptAttribute = [...acceptedTypes, ...acceptedExtensions].join(',')

export const rejectionNotice = {
  title: 'Some files were rejected',
  description:
    'Only images and videos under 500MB are supported. Supported formats: JPEG, PNG, GIF, WebP, MP4, MOV, AVI.',
}

export function isAcceptedFile({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): boolean {
  if (size > maxUploadBytes) return false
  if (acceptedTypes.includes(type.toLowerCase())) return true
  const hasAcceptedName = acceptedExtensions.some((extension) => name.toLowerCase().endsWith(extension))
  return vagueTypes.includes(type.toLowerCase()) && hasAcceptedName
}

export function sortOutFiles(files: readonly File[]): { accepted: File[]; rejected: File[] } {
  const accepted = files.filter(isAcceptedFile)
  return { accepted, rejected: files.filter((file) => !accepted.includes(file)) }
}
