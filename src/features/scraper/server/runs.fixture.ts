import { eventsOf } from '#tests/support/event-stream.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { RunProgress } from '../contract.ts'

export const mediaOf = async (user: TestUser) => (await user.get('/api/media?sort=name')).json().media
export const currentRun = async (user: TestUser) => (await user.get('/api/scrape-runs/current')).json().run
export const lastEvent = (text: string) => eventsOf<RunProgress>(text).at(-1)!
