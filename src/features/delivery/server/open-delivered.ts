import { openFile } from '#features/media/server/files/open-file.ts'
import { openRendition } from '#features/media/server/files/renditions.ts'
import type { FileServices, ServedFile } from '#features/media/server/files/served-file.ts'
import { withStatedRights } from '#features/media/server/files/with-words.ts'
import { derivedNames, playsOriginal } from '#features/media/server/media-addresses.ts'
import { notFound, unavailable } from '#platform/errors.ts'
import type { ChosenFile } from './choose-file.ts'
import type { DeliveredRow } from './store.ts'

export type DeliveryServices = FileServices

/** `caller`: whose turn it is while many sizes are made. */
export async function openDelivered(
  services: DeliveryServices,
  media: DeliveredRow,
  { file }: ChosenFile,
  caller: string,
): Promise<ServedFile> {
  if (file !== 'whole') {
    const rendition = await openRendition(services, media, file, (work) => services.renditionQueue.run(caller, work))
    return withStatedRights(services, media.id, rendition)
  }
  const openWhole = (name: string) => openFile(services, media, { name, audience: 'anyone', query: {}, caller })
  if (media.type === 'image' || playsOriginal(media)) return openWhole('')
  if (media.playback === 'pending') throw unavailable('This video is still being prepared. Please try again later.', 60)
  if (media.playback !== 'rendition') throw notFound('File')
  return openWhole(derivedNames.playable)
}
