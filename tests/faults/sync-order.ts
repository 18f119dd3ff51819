import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeJpeg } from '../support/pictures.ts'
import { counted, type Fault } from './fault.ts'
import { openLibrary, sha256, upload } from './library.ts'
import { hasStrace } from './strace.ts'

const what = 'order of an upload’s system calls, for safety in a power failure'
const toReach = 'data sync → rename → folder sync → commit → 201'
const calls = 'fsync,fdatasync,rename,renameat,renameat2,write,writev,sendto,pwrite64'

export const syncOrder: Fault = async ({ rounds }) => {
  if (!(await hasStrace())) {
    return [counted(what, { figure: 'not shown: strace is not installed or not allowed', toReach, isReached: false })]
  }
  const total = rounds(5)
  const folder = await mkdtemp(join(tmpdir(), 'albumen-strace-'))
  const log = join(folder, 'log')
  try {
    const hashes: string[] = []
    {
      // -D leaves the product our own child; -y names the file behind each descriptor; -z keeps only calls that succeeded.
      const under = ['strace', '-D', '-f', '-y', '-z', '-s', '24', '-e', `trace=${calls}`, '-o', log]
      await using library = await openLibrary({ under })
      for (let round = 0; round < total; round++) {
        const bytes = await makeJpeg()
        await upload(library.send, [{ name: `${round}.jpg`, bytes }])
        hashes.push(sha256(bytes))
      }
      // The response shows that the process has finished its last system call, which a killed process may not have.
      await library.send('GET', '/api/health')
    }
    const lines = joinUnfinished(await readFile(log, 'utf8'))
    for (const hash of hashes) checkOrder(lines, hash)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return [counted(what, { figure: `right in ${total} of ${total} uploads`, toReach, isReached: true })]
}

/** A call that another thread interrupted is told in two halves: it happened when it ended. */
function joinUnfinished(text: string) {
  const begun = new Map<string, string>()
  return text.split('\n').flatMap((line) => {
    const [, pid = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(rest)
    if (unfinished) begun.set(pid, unfinished[1]!)
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    if (resumed) return [`${begun.get(pid) ?? ''}${resumed[1]}`]
    return unfinished ? [] : [rest]
  })
}

function checkOrder(lines: string[], hash: string) {
  const renamed = lines.findIndex(
    (line) => line.startsWith('rename') && line.includes(`/${hash}"`) && line.includes('/tmp/'),
  )
  assert.ok(renamed >= 0, 'the file is renamed to its place')
  const temporary = /"([^"]+\/tmp\/[^"]+)"/.exec(lines[renamed]!)![1]!
  const synced = lines.findLastIndex((line, index) => index < renamed && isSync(line) && line.includes(temporary))
  const lastWrite = lines.findLastIndex((line) => /^p?write/.test(line) && line.includes(temporary))
  assert.ok(lastWrite >= 0 && lastWrite < synced, 'its bytes are synced after the last of them was written')
  const folder = `blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}>`
  const folderSynced = lines.findIndex((line, index) => index > renamed && isSync(line) && line.includes(folder))
  assert.ok(folderSynced > renamed, 'then its folder is synced')
  const recorded = lines.findIndex((line, index) => index > folderSynced && isSync(line) && line.includes('.db-wal>'))
  assert.ok(recorded > folderSynced, 'then its row is synced')
  const answered = lines.findIndex((line, index) => index > renamed && line.includes('"HTTP/1.1 201'))
  assert.ok(answered > recorded, 'and only then is it acknowledged')
}

const isSync = (line: string) => /^f(data)?sync\(/.test(line)
