import { AV_CHANNEL_ORDER_NATIVE } from 'node-av/constants'
import { avChannelLayoutDefault, type Frame } from 'node-av/lib'

/**
 * Filters are told where each channel of a sound belongs by a number, which an order of the file's own does not have: the
 * library would give them an address in memory. Two channels are left and right, whatever they are called.
 */
export function nameChannels(frame: Frame) {
  const { order, nbChannels } = frame.channelLayout
  if (order === AV_CHANNEL_ORDER_NATIVE && nbChannels !== 2) return
  const usual = avChannelLayoutDefault(nbChannels)
  const hasUsual = usual.order === AV_CHANNEL_ORDER_NATIVE
  frame.channelLayout = hasUsual
    ? usual
    : { nbChannels, order: AV_CHANNEL_ORDER_NATIVE, mask: (1n << BigInt(nbChannels)) - 1n }
}
