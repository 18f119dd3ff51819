import type { Owned } from '#features/media/server/owned.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import { fitPicture } from '#shared/fit-picture.ts'
import type { FileAddress, WantedFile } from '../contract.ts'
import { fileAddressOf, isFreeToVisitors } from '../file-address.ts'
import { type ChosenFile, chooseFile } from './choose-file.ts'
import { type DeliveryServices, openDelivered } from './open-delivered.ts'
import { signatureOf } from './signature.ts'
import { claimSettings, listWebsitePresets, mergePresets, readPresets } from './store.ts'

type Asked = { files: WantedFile[]; areWeighed?: boolean; origin: string }

/** The addresses that the owner copies. */
export async function describeAddresses(
  services: DeliveryServices,
  media: Owned<MediaRow>,
  { files, areWeighed = false, origin }: Asked,
): Promise<FileAddress[]> {
  const settings = await claimSettings(services.db, media.owner_id)
  const presets = mergePresets(await listWebsitePresets(services.db, media.id), readPresets(settings.presets))
  const describe = async (wanted: WantedFile): Promise<FileAddress> => {
    const { extension, query } = requestFor(wanted)
    // The weight shown is that of the format that most visitors get.
    const chosen = chooseFile(media, { extension, query, presets, accept: 'image/avif,image/webp' })
    const isSigned = !isFreeToVisitors(query)
    const s = isSigned ? signatureOf(settings.signing_key, { mediaId: media.id, extension, query }) : undefined
    const isOpen = media.public_slug !== null && media.is_trashed === 0
    return {
      url: isOpen ? origin + fileAddressOf(media.public_slug!, extension, { ...query, s }) : null,
      ...sizeOf(media, chosen),
      bytes: areWeighed ? await weigh(services, media, chosen) : null,
    }
  }
  return Promise.all(files.map(describe))
}

function requestFor({ format = 'original', width: w, height: h, fit, quality: q, preset: p }: WantedFile) {
  const isAuto = format === 'auto'
  return {
    extension: isAuto || format === 'original' ? undefined : format,
    query: { w, h, fit, q, p, format: isAuto ? ('auto' as const) : undefined },
  }
}

function sizeOf({ width, height }: MediaRow, { file }: ChosenFile) {
  if (!width || !height) return { width: null, height: null }
  return file === 'whole' ? { width, height } : fitPicture({ width, height }, file)
}

/** Null for a file that cannot be made, such as one of too many pixels, or not now. */
async function weigh(services: DeliveryServices, media: MediaRow, chosen: ChosenFile) {
  try {
    return (await openDelivered(services, media, chosen, `owner ${media.owner_id}`)).bytes
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
