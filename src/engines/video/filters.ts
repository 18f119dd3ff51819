import { thumbnailSize } from '#shared/image-sizes.ts'

/** What the filters must know about a decoded picture. */
export type PictureSource = {
  codedWidth: number
  codedHeight: number
  /** Width of a pixel divided by its height. */
  pixelAspect: number
  orientation: Orientation
  transfer: 'sdr' | 'pq' | 'hlg'
  /** Odd and even lines are of two moments, as camcorders record them; shown together they fray whatever moves. */
  isInterlaced: boolean
  /** False where the stream does not name its colour matrix. */
  hasColourMatrix: boolean
}

type Size = { width: number; height: number }

/** How large a picture becomes at most: its longer edge, or what a thumbnail has. */
export type Room = number | 'thumbnail'

/** The size at which a person sees it: square pixels, upright. */
export function displaySize(source: PictureSource): Size {
  const width = Math.max(1, Math.round(source.codedWidth * source.pixelAspect))
  return turned(source, { width, height: source.codedHeight })
}

/**
 * Filters from a decoded picture to an upright one with the colours of a JPEG. Pictures that are laid side by side
 * need even edges (`multiple` 2), because two pixels share a colour; so does what is tone-mapped.
 */
export function jpegFilter(source: PictureSource, room: Room, multiple: 1 | 2 = 1): Size & { filter: string } {
  const size = fit(displaySize(source), room, source.transfer === 'sdr' ? multiple : 2)
  const filters = [
    // A still picture shows one moment, and is seldom as high as the film.
    ...(source.isInterlaced ? ['field=top'] : []),
    scale(source, size),
    ...(source.transfer === 'sdr' ? [] : toneMap(source.transfer)),
    `scale=out_color_matrix=bt601:out_range=pc${guessedMatrix(source)}`,
    ...source.orientation.filters,
    'setsar=1',
    'format=yuvj420p',
  ]
  return { ...size, filter: filters.join(',') }
}

/** Filters from a decoded picture to one that the H.264 of every browser may hold. */
export function h264Filter(source: PictureSource, { maxEdge, maxFramesPerSecond, framesPerSecond }: H264Limits) {
  const size = fit(displaySize(source), maxEdge, 2)
  const filters = [
    source.isInterlaced ? 'bwdif=mode=send_frame:deint=interlaced' : '',
    framesPerSecond > maxFramesPerSecond + 1 ? `fps=${maxFramesPerSecond}` : '',
    scale(source, size),
    ...(source.transfer === 'sdr'
      ? [`scale=out_color_matrix=bt709:out_range=tv${guessedMatrix(source)}`]
      : toneMap(source.transfer)),
    ...source.orientation.filters,
    'setsar=1',
    'format=yuv420p',
  ]
  return filters.filter(Boolean).join(',')
}

type H264Limits = { maxEdge: number; maxFramesPerSecond: number; framesPerSecond: number }

/**
 * Scales before turning, because it is the smaller picture that is then turned. Colours are changed after it, in a filter of
 * its own: swscale takes half as long again for a picture whose size and colours it changes at once.
 */
function scale(source: PictureSource, upright: Size) {
  const { width, height } = turned(source, upright)
  return `scale=${width}:${height}:flags=bilinear`
}

/** Players take unnamed colours for BT.709 from 720 lines on; swscale would take them for BT.601. */
function guessedMatrix({ hasColourMatrix, codedHeight }: PictureSource) {
  return !hasColourMatrix && codedHeight >= 720 ? ':in_color_matrix=bt709' : ''
}

/** How bright white paper is in HDR, and how bright the lights are for which there is still room, in candela a square metre. */
const paperWhite = 203
const brightest = 1000

/**
 * What is as bright as in an ordinary video stays so; only what is brighter than most of paper is pressed together. The
 * usual `hable` makes everything darker by a third to spare lights that phones seldom record.
 */
function toneMap(transfer: 'pq' | 'hlg') {
  const curve = transfer === 'pq' ? 'smpte2084' : 'arib-std-b67'
  return [
    `zscale=tin=${curve}:min=bt2020nc:pin=bt2020:t=linear:npl=${paperWhite}`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    `tonemap=mobius:param=0.6:peak=${(brightest / paperWhite).toFixed(2)}:desat=0`,
    'zscale=t=bt709:m=bt709:r=tv',
  ]
}

function turned({ orientation }: PictureSource, { width, height }: Size): Size {
  return isSideways(orientation) ? { width: height, height: width } : { width, height }
}

function fit(size: Size, room: Room, multiple: 1 | 2): Size {
  const { width, height } = room === 'thumbnail' ? thumbnailSize(size) : within(size, room)
  const edge = (length: number) => Math.max(multiple, Math.round(length / multiple) * multiple)
  return { width: edge(width), height: edge(height) }
}

function within({ width, height }: Size, maxEdge: number): Size {
  const factor = Math.min(1, maxEdge / Math.max(width, height))
  return { width: width * factor, height: height * factor }
}

export type Rotation = 0 | 90 | 180 | 270

/** How a decoded picture must be turned before a person sees it upright. */
type Orientation = {
  /** Clockwise degrees. */
  rotation: Rotation
  /** FFmpeg filters that do it; none for most videos. */
  filters: string[]
}

const upright: Orientation = { rotation: 0, filters: [] }

/**
 * Reads a display matrix `a b u c d v x y w` (row by row, 16.16 fixed point for a to d).
 * Only the signs of the larger diagonal matter: cameras turn by quarters and mirror, nothing else.
 */
export function orientationOf(matrix: ArrayLike<number> | null | undefined): Orientation {
  if (!matrix || matrix.length < 9) return upright
  const [a = 0, b = 0, , c = 0, d = 0] = Array.from(matrix)
  if (Math.abs(b) > Math.abs(a)) return quarterTurn(b > 0, c > 0)
  const filters = [a < 0 ? 'hflip' : '', d < 0 ? 'vflip' : ''].filter(Boolean)
  return { rotation: a < 0 && d < 0 ? 180 : 0, filters }
}

/** FFmpeg's numbers: 1 clockwise, 2 counter-clockwise, 0 and 3 the same two with a mirror. */
function quarterTurn(isBPositive: boolean, isCPositive: boolean): Orientation {
  if (isBPositive) return { rotation: 90, filters: [`transpose=${isCPositive ? 0 : 1}`] }
  return { rotation: 270, filters: [`transpose=${isCPositive ? 2 : 3}`] }
}

const isSideways = ({ rotation }: Orientation) => rotation === 90 || rotation === 270
