import { thumbnailSize } from '#shared/image-sizes.ts'

/** The properties of a decoded frame from which its filters are chosen. */
export type PictureSource = {
  codedWidth: number
  codedHeight: number
  /** Width of a pixel divided by its height. */
  pixelAspect: number
  orientation: Orientation
  transfer: 'sdr' | 'pq' | 'hlg'
  /** The odd and the even lines were recorded at two moments, as by camcorders; shown together, moving things fray. */
  isInterlaced: boolean
  /** False where the stream does not name its colour matrix. */
  hasColourMatrix: boolean
}

type Size = { width: number; height: number }

/** The longest edge of the output in pixels, or `thumbnail` for the size that thumbnails have. */
export type SizeLimit = number | 'thumbnail'

/** The size on screen: upright, with square pixels. */
export function displaySize(source: PictureSource): Size {
  const width = Math.max(1, Math.round(source.codedWidth * source.pixelAspect))
  return swapIfSideways(source, { width, height: source.codedHeight })
}

/**
 * Filters that turn a decoded frame into an upright JPEG image. `multiple` 2 gives even edges, which tiles of a sprite need,
 * because two pixels share a color; a tone-mapped frame needs them too.
 */
export function jpegFilter(
  source: PictureSource,
  sizeLimit: SizeLimit,
  multiple: 1 | 2 = 1,
): Size & { filter: string } {
  const size = fit(displaySize(source), sizeLimit, source.transfer === 'sdr' ? multiple : 2)
  const filters = [
    // A still image shows one of the two moments, and has seldom as many lines as the video.
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

/** Filters that turn a decoded frame into one for H.264 that every browser can play. */
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
 * Scales before rotating, because rotating the smaller frame is cheaper. Colors are converted by a separate filter: swscale needs
 * half as much time again when it changes size and colors together.
 */
function scale(source: PictureSource, upright: Size) {
  const { width, height } = swapIfSideways(source, upright)
  return `scale=${width}:${height}:flags=bilinear`
}

/** Players assume BT.709 for a frame of 720 lines or more without a color matrix; swscale would assume BT.601. */
function guessedMatrix({ hasColourMatrix, codedHeight }: PictureSource) {
  return !hasColourMatrix && codedHeight >= 720 ? ':in_color_matrix=bt709' : ''
}

/** Brightness of white paper in HDR, and of the brightest lights that still get a shade of their own, in candela per square metre. */
const paperWhite = 203
const brightest = 1000

/**
 * Keeps the brightness of everything that an SDR video could show and compresses only what is brighter. FFmpeg's usual `hable`
 * would darken the whole frame by a third to make room for lights that phones seldom record.
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

function swapIfSideways({ orientation }: PictureSource, { width, height }: Size): Size {
  return isSideways(orientation) ? { width: height, height: width } : { width, height }
}

function fit(size: Size, sizeLimit: SizeLimit, multiple: 1 | 2): Size {
  const { width, height } = sizeLimit === 'thumbnail' ? thumbnailSize(size) : within(size, sizeLimit)
  const edge = (length: number) => Math.max(multiple, Math.round(length / multiple) * multiple)
  return { width: edge(width), height: edge(height) }
}

function within({ width, height }: Size, maxEdge: number): Size {
  const factor = Math.min(1, maxEdge / Math.max(width, height))
  return { width: width * factor, height: height * factor }
}

export type Rotation = 0 | 90 | 180 | 270

/** The rotation that shows a decoded frame upright. */
type Orientation = {
  /** Clockwise degrees. */
  rotation: Rotation
  /** FFmpeg filters that rotate it; empty for most videos. */
  filters: string[]
}

const upright: Orientation = { rotation: 0, filters: [] }

/**
 * Reads a display matrix `a b u c d v x y w` (row by row, 16.16 fixed point for a to d).
 * Only the signs of the larger diagonal matter, because cameras rotate by quarter turns and mirror, nothing else.
 */
export function orientationOf(matrix: ArrayLike<number> | null | undefined): Orientation {
  if (!matrix || matrix.length < 9) return upright
  const [a = 0, b = 0, , c = 0, d = 0] = Array.from(matrix)
  if (Math.abs(b) > Math.abs(a)) return quarterTurn(b > 0, c > 0)
  const filters = [a < 0 ? 'hflip' : '', d < 0 ? 'vflip' : ''].filter(Boolean)
  return { rotation: a < 0 && d < 0 ? 180 : 0, filters }
}

/** Values of FFmpeg's `transpose`: 1 is clockwise, 2 is counter-clockwise, 0 and 3 are the same with a mirror. */
function quarterTurn(isBPositive: boolean, isCPositive: boolean): Orientation {
  if (isBPositive) return { rotation: 90, filters: [`transpose=${isCPositive ? 0 : 1}`] }
  return { rotation: 270, filters: [`transpose=${isCPositive ? 2 : 3}`] }
}

const isSideways = ({ rotation }: Orientation) => rotation === 90 || rotation === 270
