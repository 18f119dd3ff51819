// Plain JavaScript without packages: this runs before anything is installed, on any supported version of Node.
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

/** True when node_modules is missing, incomplete, or installed from another lock file. */
function mustInstall() {
  if (!existsSync(ownNode) || !existsSync(installed)) return true
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') !== lockHash()
  // After `npm ci` by hand, npm's own record is newer than the lock file.
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
    error?.message ?? (signal === 'SIGKILL' ? 'killed by the system, probably because memory ran out' : signal)
  process.stderr.write(`Setup failed in "${command} ${args.join(' ')}"${reason ? ` (${reason})` : ''}.\n`)
  process.exit(status ?? 1)
}

/** By default npm downloads fifteen packages at once, which takes a gigabyte of memory. */
function limitDownloads() {
  const free = process.availableMemory?.() ?? freemem()
  return free < 2 * 1024 ** 3 ? ['--maxsockets=4'] : []
}

if (mustInstall()) {
  process.stdout.write('Installing packages (about 1.5 GB) …\n')
  // The video and AI packages contain their binaries, so their install scripts must download nothing.
  const options = ['--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund']
  run('npm', ['ci', ...options, ...limitDownloads()], { ONNXRUNTIME_NODE_INSTALL: 'skip', SKIP_FFMPEG: 'true' })
  writeFileSync(stamp, lockHash())
}
if (process.argv.includes('--client')) run(ownNode, [resolve(root, 'scripts/build-client.ts'), '--if-stale'])
