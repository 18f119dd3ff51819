import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { buildApp } from '#app/server/build-app.ts'
import { createServices } from '#app/server/services.ts'
import { startWork } from '#app/server/start-work.ts'
import type { Answer } from '#engines/ai/evaluation/queries.ts'
import { learnMeanings } from '#features/analysis/server/likeness/meanings.ts'
import { loadConfig } from '#platform/server/config.ts'
import { addAccount } from './accounts.ts'
import { TestUser } from './test-user.ts'

const shown = 5

type Options = {
  folder: string
  files: string[]
  queries: Record<string, string[]>
  modelsDirectory: string
  onPicture: (file: string) => void
}

/** Uploads the pictures to a temporary library, analyzes them with the built-in AI, and searches as a user does. */
export async function evaluateSearch({ folder, files, queries, modelsDirectory, onPicture }: Options) {
  const { services, user, stop } = await startProduct(modelsDirectory)
  try {
    await services.ai.modelsSettled()
    const fileOf = new Map<number, string>()
    for (const [index, file] of files.entries()) {
      // A search also finds names, and the names of these pictures say what they show.
      const upload = { name: `IMG_${1000 + index}.jpg`, bytes: await readFile(join(folder, file)) }
      const answer = await user.upload([upload], { enableAi: 'true' })
      if (answer.statusCode !== 201) throw new Error(`${file}: ${answer.statusCode} ${answer.body}`)
      fileOf.set(answer.json().media[0].id, file)
      await services.jobs.idle()
      onPicture(file)
    }
    await learnMeanings(services, new AbortController().signal)
    const answers: Answer[] = []
    for (const [query, right] of Object.entries(queries)) {
      // A search waits only shortly for the model process; the next one has its result.
      await search(user, query)
      const found = await search(user, query)
      answers.push({ query, right, found: found.slice(0, shown).map(({ id }) => fileOf.get(id)!) })
    }
    return answers
  } finally {
    await stop()
  }
}

/** Like `testApp`, which belongs to the test runner. */
async function startProduct(modelsDirectory: string) {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-evaluation-'))
  const settings = { DATA_DIR: directory, AI_LOCAL: '1', AI_MODELS_DIR: modelsDirectory }
  const services = await createServices(loadConfig(settings), pino({ level: 'silent' }))
  const app = await buildApp(services)
  await app.ready()
  await startWork(services)
  const user = new TestUser(() => app)
  const { sessionToken } = await addAccount(services.db, 'evaluation')
  user.cookies.set('albumen_session', sessionToken)
  const stop = async () => {
    await services.jobs.stop(0)
    await app.close()
    await services.close()
    await rm(directory, { recursive: true, force: true })
  }
  return { services, user, stop }
}

async function search(user: TestUser, query: string): Promise<{ id: number }[]> {
  const { media, near } = (await user.get(`/api/media?search=${encodeURIComponent(query)}`)).json()
  return [...media, ...near]
}
