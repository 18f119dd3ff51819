import { renditionWidths } from '#features/media/limits.ts'
import { formatBytes } from '#shared/bytes.ts'
import { fitPicture } from '#shared/fit-picture.ts'
import type { FileAddress, Preset, WantedFile } from '../contract.ts'
import type { SnippetItem } from '../snippets.ts'

/** `full`, a width such as `640`, a preset such as `p:card`, or `custom`. */
type SizeChoice = string

type SizeOption = { value: SizeChoice; label: string; wanted?: WantedFile }

/** The sizes to choose from; those that one picture does not have are left out. */
export function listSizes(items: readonly SnippetItem[], presets: readonly Preset[]): SizeOption[] {
  const [only] = items.length === 1 ? items : []
  const isUsual = (width: number) => !only?.width || width < only.width
  return [
    { value: 'full', label: 'Full size' },
    ...renditionWidths.filter(isUsual).map((width) => ({
      value: String(width),
      label: `${width} px wide`,
      wanted: { width, format: 'webp' as const },
    })),
    ...(items.some(({ sharedUrl }) => sharedUrl) ? [] : presets).map((preset) => ({
      value: `p:${preset.name}`,
      label: `${preset.name} · ${presetSize(preset, only)}`,
      wanted: { preset: preset.name, format: 'webp' as const },
    })),
    ...(only?.fileUrl && only.type === 'image' ? [{ value: 'custom', label: 'Custom size…' }] : []),
  ]
}

function presetSize(preset: Preset, item?: SnippetItem) {
  const size = item?.width && item.height ? fitPicture({ width: item.width, height: item.height }, preset) : preset
  return describeSize(size)
}

const describeSize = ({ width, height }: { width: number | null; height: number | null }) =>
  width && height ? `${width} × ${height}` : width ? `${width} wide` : `${height} high`

export function describePreset({ width, height, fit, format, quality }: Preset) {
  const isCropped = fit === 'cover' && width && height
  return [
    describeSize({ width, height }),
    isCropped ? 'cropped' : 'fitted',
    format === 'auto' ? 'best format' : format === 'original' ? 'original format' : format.toUpperCase(),
    quality && `quality ${quality}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** "640 px wide · 23 kB" */
export function withWeights(options: SizeOption[], addresses: readonly FileAddress[] | undefined, fullBytes?: number) {
  const weighed = options.filter(({ wanted }) => wanted)
  return options.map((option) => {
    const bytes = option.value === 'full' ? fullBytes : addresses?.[weighed.indexOf(option)]?.bytes
    return { value: option.value, label: bytes ? `${option.label} · ${formatBytes(bytes)}` : option.label }
  })
}
