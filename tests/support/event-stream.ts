/** The events of an answer that was read to its end. */
export function eventsOf<T = Record<string, unknown>>(text: string): T[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => JSON.parse(block.slice('data: '.length)))
}
