/** "1 item", "2 items", "1,200 items". */
export function countOf(count: number, one: string, many = `${one}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** "No items", "1 item", "2 items". */
export const itemsInWords = (count: number) => (count === 0 ? 'No items' : countOf(count, 'item'))
