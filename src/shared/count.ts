/** "1 item", "2 items", "1,200 items". */
export function countOf(count: number, one: string, many = `${one}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}
