/** Up to this many tiles fill whole rows; more are masonry, where an uneven end is far down the page. */
const fewTiles = 12

/** The columns of the masonry by width, in public-grid.css. */
const breakpoints = [
  { minWidth: 640, most: 3 },
  { minWidth: 960, most: 4 },
  { minWidth: 1280, most: 5 },
  { minWidth: 1600, most: 6 },
]

type RowShare = { share: number; neighbors: number }

/**
 * Divides few tiles, given by their aspect ratios, into rows that fill the page, for each width: the share of its row that
 * each tile takes, so that all tiles of a row are equally high. Undefined for one tile or many.
 */
export function justifiedRows(ratios: number[]): { minWidth: number; tiles: RowShare[] }[] | undefined {
  if (ratios.length < 2 || ratios.length > fewTiles) return undefined
  return breakpoints.map(({ minWidth, most }) => ({
    minWidth,
    tiles: divide(ratios, Math.ceil(ratios.length / most), most).flatMap((row) =>
      row.map((ratio) => ({ share: ratio / sum(row), neighbors: row.length - 1 })),
    ),
  }))
}

/** Keeps the order; rows whose ratios add up to similar sums get similar heights. */
function divide(ratios: number[], rows: number, most: number): number[][] {
  if (rows === 1) return [ratios]
  let best: number[][] | undefined
  for (let length = 1; length <= Math.min(most, ratios.length - rows + 1); length++) {
    if (ratios.length - length > (rows - 1) * most) continue
    const division = [ratios.slice(0, length), ...divide(ratios.slice(length), rows - 1, most)]
    if (!best || unevenness(division) < unevenness(best)) best = division
  }
  return best!
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

const unevenness = (division: number[][]) => sum(division.map((row) => sum(row) ** 2))
