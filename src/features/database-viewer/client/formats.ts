import { formatBytes } from '#shared/bytes.ts'

/** Up to two decimals: "1.5 MB", "0 B". */
export const size = (bytes: number) => formatBytes(bytes, { digits: 2, isTrimmed: true })

/** Like "Jan 5, 2024". */
export const date = (iso: string) =>
  new Date(iso).toLocaleDateString('en-US', { month: 'short', day: 'numeric', year: 'numeric' })

export const dimensions = ({ width, height }: { width: number | null; height: number | null }) =>
  width && height ? `${width} × ${height}` : '—'
