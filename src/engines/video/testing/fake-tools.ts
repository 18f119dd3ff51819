import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type Call = { tool: string; args: string[]; env: Record<string, string>; pid: number }

/** How the false ffmpeg behaves: it makes its file, or none before the given call, never ends, or is killed. */
export type Behaviour = { probe: unknown; result: string; emptyCalls: number; neverEnds: boolean; isKilled: boolean }

const script = (folder: string, tool: string) => `#!${process.execPath}
const { appendFileSync, copyFileSync, readFileSync, writeFileSync } = require('node:fs')
const args = process.argv.slice(2)
const behaviour = JSON.parse(readFileSync(${JSON.stringify(join(folder, 'behaviour.json'))}))
appendFileSync(${JSON.stringify(join(folder, 'calls'))}, JSON.stringify({ tool: '${tool}', args, env: process.env, pid: process.pid }) + '\\n')
if ('${tool}' === 'ffprobe') {
  if (behaviour.probe === null) process.exit(1)
  console.log(JSON.stringify(behaviour.probe))
} else {
  const calls = readFileSync(${JSON.stringify(join(folder, 'calls'))}, 'utf8').split('\\n').filter((line) => line.includes('"tool":"ffmpeg"'))
  const output = args.at(-1).replace('%02d', '01')
  if (calls.length > behaviour.emptyCalls) copyFileSync(behaviour.result, output)
  console.log('out_time_us=500000')
  console.log('out_time_us=1000000')
  if (behaviour.isKilled) process.kill(process.pid, 'SIGKILL')
  if (behaviour.neverEnds) setInterval(() => {}, 1000)
}
`

/** Stands for the programs ffmpeg and ffprobe of a system that has them, and remembers how they were called. */
export async function createFakeTools(folder: string, behaviour: Behaviour) {
  await mkdir(folder)
  await writeFile(join(folder, 'behaviour.json'), JSON.stringify(behaviour))
  for (const tool of ['ffmpeg', 'ffprobe']) {
    await writeFile(join(folder, tool), script(folder, tool))
    await chmod(join(folder, tool), 0o755)
  }
  return {
    ffmpegPath: join(folder, 'ffmpeg'),
    async calls(): Promise<Call[]> {
      const lines = await readFile(join(folder, 'calls'), 'utf8').catch(() => '')
      return lines
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
  }
}
