import type { Demuxer } from 'node-av/api'
import { AV_PKT_DATA_PALETTE } from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'

/**
 * The colours of a picture that has 256 or fewer of them, as videos had before 2000. The demuxer tells them beside the very
 * first packet and never again, so whoever moves in the video must keep them.
 */
export function readPalette(demuxer: Demuxer, picture: Stream): Buffer | undefined {
  if (!hasFewColours(picture)) return undefined
  for (const packet of demuxer.packetsSync(picture.index)) {
    using held = packet
    const colours = held?.getSideData(AV_PKT_DATA_PALETTE)
    return colours ? Buffer.from(colours) : undefined
  }
  return undefined
}

export function hasFewColours({ codecpar: { bitsPerCodedSample } }: Stream) {
  return bitsPerCodedSample >= 1 && bitsPerCodedSample <= 8
}

/** For the first packet of each decoder; where the video changes its colours, the packet says so itself. */
export function givePalette(packet: Packet, palette: Buffer | undefined) {
  if (palette && !packet.getSideData(AV_PKT_DATA_PALETTE)) packet.addSideData(AV_PKT_DATA_PALETTE, palette)
}
