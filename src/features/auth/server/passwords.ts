import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { limitConcurrency } from '#shared/concurrency.ts'

/** argon2id, 19 MiB, two passes: 48 ms on the machine this was measured on. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Limits the threads for sign-ins, so that a flood of them does not block file reads. */
const few = limitConcurrency(Math.max(2, Math.min(4, availableParallelism())))

export const hashPassword = (password: string) => few(() => hash(password, cost))

/** A hash without a password that takes as long to verify as a real one, for unknown accounts. */
const dummyHash = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${randomText(16)}$${randomText(32)}`

function randomText(bytes: number) {
  return randomBytes(bytes).toString('base64').replaceAll('=', '')
}

/** Takes the same time whether or not the account exists, including the first call. */
export async function verifyPassword(password: string, passwordHash: string | undefined) {
  const isRight = await few(() => verify(passwordHash ?? dummyHash, password))
  return isRight && passwordHash !== undefined
}
