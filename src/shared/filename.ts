/** Longer names that come with a file are cut, longer ones that a person types are refused. */
export const maxFilenameLength = 200

/** "photo.final.JPG" is "photo.final" and ".JPG"; a name that only begins with a dot has no extension. */
export function splitExtension(filename: string): { stem: string; extension: string } {
  const match = /^(.+)(\.[\p{L}\p{N}]{1,10})$/su.exec(filename)
  return match ? { stem: match[1]!, extension: match[2]! } : { stem: filename, extension: '' }
}

/** The new name with the old one's extension: renaming never changes what a file is. */
export function keepExtension(newName: string, oldName: string) {
  const { extension } = splitExtension(oldName)
  if (!extension || newName.toLowerCase().endsWith(extension.toLowerCase())) return newName
  return newName + extension
}
