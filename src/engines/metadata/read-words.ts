import { readIim } from './iim.ts'
import { joinWords, type PictureWords } from './picture-words.ts'
import { readXmp } from './xmp.ts'

type Blocks = { xmp?: Uint8Array; iptc?: Uint8Array }

/** Newer programs write XMP and leave older IPTC records as they are, so XMP comes first. */
export const readWords = ({ xmp, iptc }: Blocks): PictureWords => joinWords(readXmp(xmp), readIim(iptc))
