import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'
import { readEnvFile } from '#platform/server/env-file.ts'

// `npm run dev`: the server restarts when one of its files changes, the client updates in place. Ctrl-C ends both.
const root = fileURLToPath(new URL('..', import.meta.url))

const server = spawn(process.execPath, ['--watch', '--watch-preserve-output', 'src/app/server/main.ts'], {
  cwd: root,
  stdio: 'inherit',
})
// For the port that Vite's proxy needs. It is read after the server was spawned, because the server reads .env at each restart.
readEnvFile()
const client = await createServer({ root, server: { open: false } })
await client.listen()
console.log(`\nThe client with live changes: ${client.resolvedUrls?.local[0]}\n`)

let isStopping = false
async function stop(code: number) {
  if (isStopping) return
  isStopping = true
  server.kill('SIGTERM')
  await client.close()
  process.exitCode = code
}

process.on('SIGINT', () => stop(0))
process.on('SIGTERM', () => stop(0))
server.on('exit', (code) => stop(code ?? 0))
