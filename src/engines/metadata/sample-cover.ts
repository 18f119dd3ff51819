import { damaged } from './byte-reader.ts'
import type { Range } from './mp4-samples.ts'

const maxRanges = 2_000_000

/** Collects where samples lie, and finds what lies between them. */
export function createCover() {
  const ranges: Range[] = []
  return {
    add({ start, end }: Range) {
      const last = ranges.at(-1)
      if (last && start === last.end) last.end = Math.max(last.end, end)
      else if (end > start && ranges.push({ start, end }) > maxRanges) throw damaged()
    },
    /** The parts of the given ranges without a sample. */
    *gapsIn(wholes: Range[]): Generator<Range> {
      ranges.sort((one, other) => one.start - other.start)
      let index = 0
      let covered = 0
      for (const { start, end } of wholes.toSorted((one, other) => one.start - other.start)) {
        covered = Math.max(covered, start)
        while (index < ranges.length && ranges[index]!.start < end) {
          const range = ranges[index]!
          if (range.start > covered) yield { start: covered, end: range.start }
          covered = Math.max(covered, range.end)
          index++
        }
        if (covered < end) yield { start: covered, end }
      }
    },
  }
}
