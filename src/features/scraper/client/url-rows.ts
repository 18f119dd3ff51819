/** The id keeps the focus in its row while other rows are added and removed. */
export type UrlRow = { id: number; text: string }

export const oneEmptyRow = (rows: readonly UrlRow[] = []): UrlRow[] => [{ id: nextId(rows), text: '' }]

export function addRow(rows: readonly UrlRow[]): UrlRow[] {
  return [...rows, { id: nextId(rows), text: '' }]
}

/** At least one row always remains. */
export function removeRow(rows: readonly UrlRow[], id: number): UrlRow[] {
  return rows.length > 1 ? rows.filter((row) => row.id !== id) : [...rows]
}

/** Several lines pasted into one row become one row each. */
export function changeRow(rows: readonly UrlRow[], id: number, text: string): UrlRow[] {
  const [first = '', ...others] = text.split(/[\r\n]+/).filter((line, index) => index === 0 || line.trim() !== '')
  return rows.flatMap((row) => {
    if (row.id !== id) return [row]
    const from = nextId(rows)
    return [{ id, text: first }, ...others.map((line, index) => ({ id: from + index, text: line.trim() }))]
  })
}

export function areAllBlank(rows: readonly UrlRow[]): boolean {
  return rows.every(({ text }) => text.trim() === '')
}

function nextId(rows: readonly UrlRow[]): number {
  return Math.max(0, ...rows.map(({ id }) => id)) + 1
}
