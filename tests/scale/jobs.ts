import type { Measurement } from '../support/measurements.ts'
import { until } from '../support/until.ts'
import { type Cluster, type Person, processCount } from './cluster.ts'
import { listAll, makePictures, upload } from './pictures.ts'
import { counted, type Row } from './row.ts'

const analyzed = 90
const converted = 25
const patienceMs = 240_000

/** Analyses wait and three long conversions run, while one process after the other is killed. */
export const jobs: Row = async (cluster) => {
  const people = await Promise.all(Array.from({ length: processCount }, () => cluster.register()))
  const looksBefore = cluster.looks()
  const viewer = people[0]!
  const pictures = await Promise.all(
    people.map(async ({ through }) => upload(through, await makePictures(converted, 'run'))),
  )
  await upload(viewer.through, await makePictures(analyzed, 'seen'), { enableAi: 'true' })
  // Requests to a killed process are interrupted; the runs that they started go on.
  const asking = Promise.allSettled(
    people.map(({ at }, index) => {
      const mediaIds = pictures[index]!.map(({ id }) => id)
      return at(index)('POST', '/api/media/bulk-convert-webp', { mediaIds, quality: 60, deleteOriginal: false })
    }),
  )
  for (let victim = 0; victim < processCount; victim++) {
    await untilProgress(cluster)
    await cluster.killAndRestart(victim)
  }
  await untilDone(cluster)
  await asking
  const looks = cluster.looks().map((count, index) => count - looksBefore[index]!)
  return [await countAnalyses(viewer, looks), await countConversions(cluster, people)]
}

type Progress = { steps: number; open: number }

async function progressOf({ query }: Cluster) {
  const [row] = await query<Progress>(`SELECT
    (SELECT coalesce(sum(turns), 0)::int FROM runs) AS steps,
    (SELECT count(*)::int FROM jobs WHERE kind IN ('bulk-convert-webp', 'analyze-media') AND status <> 'failed') AS open`)
  return row!
}

/** Waits until the runs have made some progress, so that the next kill is in the middle of the work. */
async function untilProgress(cluster: Cluster) {
  const before = await progressOf(cluster)
  const isFurther = async () => (await progressOf(cluster)).steps > before.steps + 2
  await until('the runs have made some progress', isFurther, { withinMs: patienceMs, everyMs: 5 })
}

async function untilDone(cluster: Cluster) {
  const isDone = async () => (await progressOf(cluster)).open === 0
  await until('all of the work is done', isDone, { withinMs: patienceMs, everyMs: 200 })
}

async function countAnalyses({ through }: Person, looks: number[]): Promise<Measurement> {
  const seen = (await listAll(through)).filter(({ filename }) => filename.startsWith('seen'))
  const done = seen.filter(({ aiStatus, aiTags }) => aiStatus === 'done' && aiTags.join() === 'cat,animal').length
  const again = looks.reduce((sum, count) => sum + count, 0) - analyzed
  return counted('jobs spread over the processes and survive kill -9 of each', {
    figure: `${analyzed - done} of ${analyzed} lost, ${looks.join(' + ')} pictures analyzed (${again} repeated)`,
    toReach: '0 lost, every process works',
    isReached: done === analyzed && looks.every((count) => count > 0),
  })
}

async function countConversions({ query }: Cluster, people: Person[]): Promise<Measurement> {
  let [made, doubled] = [0, 0]
  for (const { through } of people) {
    const results = (await listAll(through)).filter(({ mimeType }) => mimeType === 'image/webp')
    const names = new Set(results.map(({ filename }) => filename))
    made += names.size
    doubled += results.length - names.size
  }
  const [ended] = await query<{ count: number }>("SELECT count(*)::int AS count FROM runs WHERE status = 'ended'")
  const total = converted * people.length
  return counted('a run whose process was killed continues on another process without repeating items', {
    figure: `${total - made} of ${total} lost, ${doubled} twice, ${ended!.count} of ${people.length} runs ended`,
    toReach: '0 lost, 0 twice',
    isReached: made === total && doubled === 0 && ended!.count === people.length,
  })
}
