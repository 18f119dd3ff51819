import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../tests/support/embedded-postgres.ts'

// `npm test` and its parts: each step is named, all of them run, and the last line counts what was proven.
const root = fileURLToPath(new URL('..', import.meta.url))
const bin = `${root}node_modules/.bin/`
const totals = { passed: 0, failed: 0 }

const steps: Record<string, () => Promise<void>> = {
  types: () => countAsOne(run(`${bin}tsc`, ['-p', '.'])),
  lint: () => countAsOne(run(`${bin}biome`, ['check', '--error-on-warnings', '.'])),
  server: () =>
    runTests([
      ...serverTests(),
      ...globSync(
        '{src/ui,src/shared,src/platform/client,src/features/*,src/features/*/client,tests,scripts}/*.test.ts',
        { cwd: root },
      ),
    ]),
  postgres: runTestsOnPostgres,
  stories: () => runTests(globSync('tests/e2e/*.test.ts', { cwd: root })),
}

const wanted = process.argv.slice(2)
for (const name of wanted) {
  const begin = performance.now()
  process.stdout.write(`\n== ${name}\n`)
  await steps[name]!()
  process.stdout.write(`== ${name} took ${((performance.now() - begin) / 1000).toFixed(0)} s\n`)
}
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed\n`)
process.exit(totals.failed > 0 ? 1 : 0)

function serverTests() {
  return globSync(['src/**/server/**/*.test.ts', 'src/engines/**/*.test.ts'], { cwd: root })
}

/** Only what touches the database is worth proving twice. */
async function runTestsOnPostgres() {
  const postgres = await startPostgres()
  try {
    const files = globSync(
      ['src/features/**/server/**/*.test.ts', 'src/app/**/*.test.ts', 'src/platform/server/**/*.test.ts'],
      { cwd: root },
    )
    await runTests(files, { TEST_POSTGRES_URL: postgres.url })
  } finally {
    await postgres.stop()
  }
}

async function runTests(files: string[], env: Record<string, string> = {}) {
  const output = await run(process.execPath, ['--test', '--test-reporter=spec', ...files.sort()], env)
  totals.passed += Number(/^ℹ pass (\d+)/m.exec(output.text)?.[1] ?? 0)
  const failed = Number(/^ℹ fail (\d+)/m.exec(output.text)?.[1] ?? 0)
  totals.failed += output.code === 0 ? failed : Math.max(failed, 1)
}

async function countAsOne(running: Promise<{ code: number }>) {
  const { code } = await running
  totals[code === 0 ? 'passed' : 'failed']++
}

function run(command: string, args: string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; text: string }>((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      process.stdout.write(chunk)
    })
    child.on('close', (code) => resolve({ code: code ?? 1, text }))
  })
}
