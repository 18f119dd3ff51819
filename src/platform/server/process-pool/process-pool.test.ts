import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { getPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { AppError } from '#platform/errors.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { until } from '#tests/support/until.ts'
import type { FixtureTask } from './process-pool.fixture.ts'
import { createProcessPool, maxSilenceMs, type ProcessPoolOptions } from './process-pool.ts'
import type { Request } from './serve-tasks.ts'

const entry = new URL('./process-pool.fixture.ts', import.meta.url)

function openPool(options: Partial<ProcessPoolOptions> = {}) {
  const pool = createProcessPool<FixtureTask, unknown>({
    entry,
    size: 1,
    timeoutMs: 300_000,
    ...options,
  })
  return { run: pool.run, close: pool.close, [Symbol.asyncDispose]: pool.close }
}

/** Starts a task that never ends and waits until a child works on it. */
async function startEndless(pool: ReturnType<typeof openPool>, task: 'hang' | 'spin', signal?: AbortSignal) {
  const started = Promise.withResolvers<number>()
  const ended = pool.run({ do: task }, { signal, onProgress: (pid) => started.resolve(pid as number) })
  ended.catch(() => {})
  return { pid: await started.promise, ended }
}

function isAlive(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

test('bytes, dates and maps reach a child and return unchanged', async () => {
  await using pool = openPool()
  const value = { bytes: new Uint8Array([1, 2, 255]), date: new Date(0), map: new Map([[1, 'one']]) }
  const answer = (await pool.run({ do: 'echo', value })) as typeof value
  assert.deepEqual(Uint8Array.from(answer.bytes), value.bytes)
  assert.deepEqual(answer.date, value.date)
  assert.deepEqual(answer.map, value.map)
})

test('a child loads at normal priority and works at low priority', async () => {
  await using pool = openPool({ niceness: 7 })
  const { atStart, now } = (await pool.run({ do: 'read-priorities' })) as { atStart: number; now: number[] }
  assert.equal(atStart, getPriority())
  assert.deepEqual([...new Set(now)], [7], 'all of its threads')
})

test('a child whose server was killed exits silently, even with a result to send', async (context) => {
  const untilThere = join(await temporaryFolder(context), 'gone')
  const child = fork(entry, ['0'], {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const ended = once(child, 'exit')
  assert.deepEqual(await once(child, 'message'), [{ type: 'ready' }, undefined])
  child.send({ task: { do: 'outlive', untilThere } satisfies FixtureTask } satisfies Request)
  await once(child, 'message')
  const cut = once(child, 'disconnect')
  child.disconnect()
  await cut
  await writeFile(untilThere, '')
  assert.equal(await text(child.stderr!), '')
  assert.deepEqual(await ended, [0, null])
})

test('a child finishes its task when the signal that stops the server reaches it too', async (context) => {
  const untilThere = join(await temporaryFolder(context), 'gone')
  await using pool = openPool()
  const started = Promise.withResolvers<number>()
  const work = pool.run({ do: 'outlive', untilThere }, { onProgress: (pid) => started.resolve(pid as number) })
  const pid = await Promise.race([started.promise, work])
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) process.kill(pid as number, signal)
  await writeFile(untilThere, '')
  assert.equal(await work, pid)
  assert.equal(await pool.run({ do: 'pid' }), pid)
})

test('a task whose child was ended by a signal while it loaded is given to another child', async (context) => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const mark = join(await temporaryFolder(context), 'signaled')
    const preload = `import { existsSync, writeFileSync } from 'node:fs'
      if (!existsSync('${mark}')) { writeFileSync('${mark}', ''); process.kill(process.pid, '${signal}'); for (;;); }`
    const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(preload).toString('base64')}`
    await using pool = openPool({ env: { NODE_OPTIONS } })
    assert.equal(await pool.run({ do: 'echo', value: 'done' }), 'done')
  }
})

test('a child that cannot be started fails only its own task', async () => {
  await using pool = openPool({ env: { REFUSED: 'a\0b' } })
  await assert.rejects(pool.run({ do: 'pid' }), hasCode('unavailable'))
  await using stillborn = openPool({ env: { NODE_OPTIONS: '--import=data:text/javascript,process.exit(1)' } })
  await assert.rejects(stillborn.run({ do: 'pid' }), hasCode('unavailable'))
})

test('the OOM killer prefers a child to the server', async () => {
  await using pool = openPool()
  const { pid } = await startEndless(pool, 'hang')
  const adjustment = async (of: number) => Number(await readFile(`/proc/${of}/oom_score_adj`, 'utf8'))
  if (process.platform === 'linux') assert.ok((await adjustment(pid)) > (await adjustment(process.pid)))
})

test('one child serves several tasks in sequence', async () => {
  await using pool = openPool()
  const pids = await Promise.all([pool.run({ do: 'pid' }), pool.run({ do: 'pid' }), pool.run({ do: 'pid' })])
  assert.equal(new Set(pids).size, 1)
  assert.notEqual(pids[0], process.pid)
})

test('at most as many tasks run at once as the pool’s size', async () => {
  await using pool = openPool({ size: 2 })
  const first = await startEndless(pool, 'hang')
  const second = await startEndless(pool, 'hang')
  assert.notEqual(first.pid, second.pid)
  const third = pool.run({ do: 'pid' })
  process.kill(first.pid, 'SIGKILL')
  await assert.rejects(first.ended, hasCode('unavailable'))
  assert.notEqual(await third, second.pid)
  assert.ok(isAlive(second.pid))
})

test('progress arrives in order before the result', async () => {
  await using pool = openPool()
  const steps: unknown[] = []
  assert.equal(await pool.run({ do: 'count', to: 3 }, { onProgress: (step) => steps.push(step) }), 3)
  assert.deepEqual(steps, [1, 2, 3])
})

test('an AppError thrown in a child keeps its code, status, message and details', async () => {
  await using pool = openPool()
  await assert.rejects(pool.run({ do: 'refuse' }), {
    name: 'AppError',
    code: 'too-round',
    status: 415,
    message: 'The picture is too round',
    details: { corners: 0 },
  })
})

test('an unexpected error in a child is not an AppError', async () => {
  await using pool = openPool()
  await assert.rejects(pool.run({ do: 'throw' }), { name: 'UnexpectedTaskError', message: 'Something odd happened' })
})

test('a crash fails one task, and the next ones run in a new child', async () => {
  await using pool = openPool()
  const crash = pool.run({ do: 'crash' })
  const next = pool.run({ do: 'echo', value: 'still here' })
  await assert.rejects(crash, hasCode('worker-died'))
  assert.equal(await next, 'still here')
})

test('a task that times out is ended with its child, even in an endless loop', async () => {
  await using pool = openPool()
  let pid = 0
  const spin = pool.run({ do: 'spin' }, { timeoutMs: 1_000, onProgress: (value) => (pid = value as number) })
  await assert.rejects(spin, { code: 'timeout', message: 'The work took longer than 1 s and was stopped' })
  assert.equal(await pool.run({ do: 'echo', value: 'next' }), 'next')
  // On a busy machine the task may time out before the child reports its pid.
  assert.ok(pid === 0 || !isAlive(pid))
})

test('a child that reports progress keeps running, and a silent one is ended', async (context) => {
  await using pool = openPool({ timeoutMs: 10 * maxSilenceMs })
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const heard: unknown[] = []
  let next = Promise.withResolvers<void>()
  const work = pool.run(
    { do: 'beat' },
    {
      onProgress(pid) {
        heard.push(pid)
        next.resolve()
      },
    },
  )
  work.catch(() => {})
  for (let beat = 0; beat < 3; beat++) {
    await Promise.race([next.promise, work])
    next = Promise.withResolvers()
    context.mock.timers.tick(maxSilenceMs - 1)
    process.kill(heard[0] as number, 'SIGUSR2')
  }
  await Promise.race([next.promise, work])
  context.mock.timers.tick(maxSilenceMs)
  context.mock.timers.tick(10 * maxSilenceMs)
  await assert.rejects(work, { code: 'timeout', message: 'The work made no progress for 110 s and was stopped' })
  context.mock.timers.reset()
  assert.equal(await pool.run({ do: 'echo', value: 'next' }), 'next')
})

test('an aborted task ends its child and frees its slot', async () => {
  await using pool = openPool()
  const abort = new AbortController()
  const { ended } = await startEndless(pool, 'spin', abort.signal)
  abort.abort(new Error('the reader left'))
  await assert.rejects(ended, /the reader left/)
  assert.equal(await pool.run({ do: 'echo', value: 'next' }), 'next')
})

test('a task aborted while it waits never starts, and the running task continues', async () => {
  await using pool = openPool()
  const { pid } = await startEndless(pool, 'hang')
  const abort = new AbortController()
  const waiting = pool.run({ do: 'crash' }, { signal: abort.signal })
  abort.abort(new Error('changed my mind'))
  await assert.rejects(waiting, /changed my mind/)
  await assert.rejects(pool.run({ do: 'crash' }, { signal: AbortSignal.abort(new Error('too late')) }), /too late/)
  assert.ok(isAlive(pid))
})

test('a long-lived signal does not collect listeners of finished tasks', async () => {
  await using pool = openPool()
  const { signal } = new AbortController()
  let listeners = 0
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners++
    addEventListener.apply(signal, args)
  }
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners--
    removeEventListener.apply(signal, args)
  }
  await pool.run({ do: 'echo', value: 1 }, { signal })
  assert.equal(listeners, 0)
})

test('a task that cannot be serialized is rejected, and its child takes the next one', async () => {
  await using pool = openPool()
  await assert.rejects(pool.run({ do: 'echo', value: () => 'functions do not travel' }), /could not be cloned/)
  assert.equal(await pool.run({ do: 'echo', value: 'next' }), 'next')
})

test('closing ends running and waiting tasks and leaves no child behind', async () => {
  const pool = openPool()
  const { pid, ended } = await startEndless(pool, 'spin')
  const waiting = pool.run({ do: 'pid' })
  waiting.catch(() => {})
  await pool.close()
  await assert.rejects(ended, hasCode('closing'))
  await assert.rejects(waiting, hasCode('closing'))
  await assert.rejects(pool.run({ do: 'pid' }), { code: 'closing', message: /try again/ })
  assert.ok(!isAlive(pid))
})

test('an idle child is ended, and the next task gets a new one', async () => {
  await using pool = openPool({ idleMs: 0 })
  const first = (await pool.run({ do: 'pid' })) as number
  while (isAlive(first)) await once(AbortSignal.timeout(5), 'abort')
  assert.notEqual(await pool.run({ do: 'pid' }), first)
})

test("a child sees the variables passed to it and none of the server's secrets", async () => {
  process.env.PROCESS_POOL_TEST_SECRET = 'hunter2'
  await using pool = openPool({ env: { GIVEN: 'yes' } })
  assert.equal(await pool.run({ do: 'read-variable', name: 'GIVEN' }), 'yes')
  assert.equal(await pool.run({ do: 'read-variable', name: 'PATH' }), process.env.PATH)
  assert.equal(await pool.run({ do: 'read-variable', name: 'PROCESS_POOL_TEST_SECRET' }), undefined)
  delete process.env.PROCESS_POOL_TEST_SECRET
})

test('children share the compile cache, even when they are killed', async (context) => {
  enableCompileCache()
  await using pool = openPool()
  const found = await pool.run({ do: 'read-variable', name: 'NODE_COMPILE_CACHE' })
  assert.equal(found, dirname(getCompileCacheDir()!))
  const folder = await temporaryFolder(context)
  await using first = openPool({ env: { NODE_COMPILE_CACHE: folder } })
  await first.run({ do: 'pid' })
  const isKept = async () => (await readdir(folder, { recursive: true })).length > 1
  await until('compiled code is kept', isKept)
})
