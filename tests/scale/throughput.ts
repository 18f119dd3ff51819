import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { availableParallelism } from 'node:os'
import type { Measurement } from '../support/measurements.ts'
import { cpuMsOf } from '../support/process-usage.ts'
import type { Cluster, Person } from './cluster.ts'
import { listAll, makePictures, upload } from './pictures.ts'
import type { Row } from './row.ts'

/** For each process as many as for the one: what one wake-up of a process serves makes a difference. */
const visitorsPerProcess = 8
/** Until every process has compiled what it runs often. */
const warmUpRequests = 300
/** They alternate, because the load of the machine changes. */
const rounds = 2
const measuredMs = 3000
/** Visitors, proxy, database and store run here too: three processes can be faster only where there are cores for them. */
const cores = availableParallelism()
const isRateJudged = cores >= 8
const leastRate = 1.8
/** Three programs are compiled while they run, instead of one. */
const allowedCpu = 1.5
/** CPU time of other processes is read from /proc. */
const isCpuJudged = process.platform === 'linux'

export const throughput: Row = async (cluster) => {
  const person = await cluster.register()
  await upload(person.through, await makePictures(60, 'fast'))
  const [item] = await listAll(person.through)
  return [
    await compare(cluster, person, { what: 'a list of 50', path: '/api/media?limit=50' }),
    await compare(cluster, person, {
      what: 'a thumbnail',
      path: new URL(item!.thumbnailUrl, cluster.proxyUrl).pathname,
    }),
  ]
}

type Asked = { what: string; path: string }

async function compare(cluster: Cluster, person: Person, { what, path }: Asked): Promise<Measurement> {
  const all = cluster.processes.map(({ url }) => url)
  for (const url of all) await warmUp(person, { url, path })
  const [one, three, proxied] = [[all[0]!], all, [cluster.proxyUrl]].map((urls) => ({ urls, ...nothing }))
  for (let round = 0; round < rounds; round++) {
    for (const measured of [one!, three!, proxied!]) await measure(cluster, person, { path, measured })
  }
  return toRow(what, { one: one!, three: three!, proxied: proxied! })
}

async function warmUp(person: Person, { url, path }: { url: string; path: string }) {
  for (let count = 0; count < warmUpRequests; ) {
    const { answered, failed } = await ask(person, { urls: [url], path, forMs: 500 })
    assert.equal(failed, 0, `${path} answers`)
    count += answered
  }
}

const perSecond = ({ answered, wallMs }: Measured) => (answered * 1000) / wallMs
const cpuEach = ({ answered, cpuMs }: Measured) => cpuMs / answered

function toRow(what: string, { one, three, proxied }: Record<'one' | 'three' | 'proxied', Measured>): Measurement {
  const [rate, cpu] = [perSecond(three) / perSecond(one), cpuEach(three) / cpuEach(one)]
  const failed = one.failed + three.failed + proxied.failed
  return {
    what: `${what}: three processes against one`,
    context: `one process: ${perSecond(one).toFixed(0)}/s, ${cpuEach(one).toFixed(2)} ms CPU each`,
    figure: `${failed} failed; ${rate.toFixed(2)}x the rate, ${cpu.toFixed(2)}x the CPU each (${perSecond(three).toFixed(0)}/s; ${perSecond(proxied).toFixed(0)}/s through the proxy)`,
    toReach: `0 failed; CPU at most ${allowedCpu}x; ${isRateJudged ? `${leastRate}x the rate` : `the rate has no goal: visitors, database and store share the ${cores} cores`}`,
    isReached: failed === 0 && (rate >= leastRate || !isRateJudged) && (cpu <= allowedCpu || !isCpuJudged),
  }
}

const nothing = { answered: 0, failed: 0, wallMs: 0, cpuMs: 0 }
type Measured = typeof nothing & { urls: string[] }

async function measure(
  { processes }: Cluster,
  person: Person,
  { path, measured }: { path: string; measured: Measured },
) {
  const cpu = () => (isCpuJudged ? processes.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0) : 0)
  const [cpuBefore, begin] = [cpu(), performance.now()]
  const { answered, failed } = await ask(person, { urls: measured.urls, path, forMs: measuredMs })
  measured.answered += answered
  measured.failed += failed
  measured.wallMs += performance.now() - begin
  measured.cpuMs += cpu() - cpuBefore
}

type Visits = { urls: string[]; path: string; forMs: number }

/** Visitors who ask again as soon as they have their answer. */
async function ask({ cookie }: Person, { urls, path, forMs }: Visits) {
  const visitors = visitorsPerProcess * urls.length
  const agent = new Agent({ keepAlive: true, maxSockets: visitors })
  const end = Date.now() + forMs
  const counts = { answered: 0, failed: 0 }
  const visit = async (index: number) => {
    for (let turn = index; Date.now() < end; turn++) {
      const status = await get(`${urls[turn % urls.length]}${path}`)
      counts[status === 200 ? 'answered' : 'failed']++
    }
  }
  await Promise.all(Array.from({ length: visitors }, (_, index) => visit(index)))
  agent.destroy()
  return counts

  function get(url: string) {
    return new Promise<number>((resolve) => {
      const asking = request(url, { agent, headers: { cookie } }, (answer) => {
        answer.resume()
        answer.once('end', () => resolve(answer.statusCode ?? 0))
      })
      asking.once('error', () => resolve(0))
      asking.end()
    })
  }
}
