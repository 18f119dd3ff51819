import { FilterAPI } from 'node-av/api'
import type { Frame } from 'node-av/lib'
import { jpegFilter } from '../filters.ts'
import { corruptVideo } from '../refusals.ts'
import { recipe, type Sprite } from '../video-tasks.ts'
import { filterFrame, writeJpeg } from './jpeg.ts'
import { openVideo } from './open-video.ts'
import { pickFrames } from './pick-frames.ts'
import { readPictureSource } from './traits.ts'

/** Small pictures of the whole video in one JPEG, row by row, for scrubbing with the mouse. */
export async function makeSprite({ path, outputPath }: { path: string; outputPath: string }): Promise<Sprite> {
  await using video = await openVideo(path)
  const cells: Frame[] = []
  try {
    let cell: ReturnType<typeof jpegFilter> | undefined
    for await (using frame of pickFrames(video, recipe.spriteFrames)) {
      cell ??= jpegFilter(readPictureSource(video, frame), recipe.spriteEdge, 2)
      cells.push(await filterFrame(frame, cell.filter))
    }
    if (!cell) throw corruptVideo('This video is damaged: none of its pictures can be shown.')
    const columns = Math.min(recipe.spriteColumns, cells.length)
    using sheet = await tile(cells, columns)
    await writeJpeg(sheet, outputPath, 5)
    return { frames: cells.length, columns, frameWidth: cell.width, frameHeight: cell.height }
  } finally {
    for (const cell of cells) cell.free()
  }
}

async function tile(cells: Frame[], columns: number): Promise<Frame> {
  const rows = Math.ceil(cells.length / columns)
  using graph = FilterAPI.create(`tile=${columns}x${rows}:nb_frames=${cells.length}`, { threads: 1 })
  for (const cell of cells) {
    const [sheet] = await graph.processAll(cell)
    if (sheet) return sheet
  }
  throw corruptVideo()
}
