// Plain JavaScript without any package: this runs on whatever Node the machine has, before anything is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const installed = resolve(root, 'node_modules/.package-lock.json')
const lockFile = resolve(root, 'package-lock.json')
const stamp = resolve(root, 'node_modules/.albumen-lock')
const ownNode = resolve(root, 'node_modules/.bin', process.platform === 'win32' ? 'node.cmd' : 'node')

/** True when node_modules is missing, half made, or made from another lock file. */
function mustInstall() {
  if (!existsSync(ownNode) || !existsSync(installed)) return true
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') !== lockHash()
  // Somebody ran `npm ci` by hand: its own record is younger than the lock file it was made from.
  return statSync(lockFile).mtimeMs > statSync(installed).mtimeMs
}

function lockHash() {
  return createHash('sha256').update(readFileSync(lockFile)).digest('hex')
}

function run(command, args, env = {}) {
  const { status, error, signal } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, ...env },
  })
  if (status === 0) return
  const reason =
    error?.message ?? (signal === 'SIGKILL' ? 'ended by the system, most likely for want of memory' : signal)
  process.stderr.write(`Setting up stopped: "${command} ${args.join(' ')}" failed${reason ? ` (${reason})` : ''}.\n`)
  process.exit(status ?? 1)
}

/** Packages that arrive at the same time are in memory at the same time: usually fifteen, for which npm takes a gigabyte. */
function fewAtOnce() {
  const free = process.availableMemory?.() ?? freemem()
  return free < 2 * 1024 ** 3 ? ['--maxsockets=4'] : []
}

if (mustInstall()) {
  process.stdout.write('Installing what Albumen needs (about 1.5 GB, once) …\n')
  // The built-in video and AI libraries carry their binaries inside their packages: nothing else is to be downloaded.
  const options = ['--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund']
  run('npm', ['ci', ...options, ...fewAtOnce()], { ONNXRUNTIME_NODE_INSTALL: 'skip', SKIP_FFMPEG: 'true' })
  writeFileSync(stamp, lockHash())
}
if (process.argv.includes('--client')) run(ownNode, [resolve(root, 'scripts/build-client.ts'), '--if-stale'])
