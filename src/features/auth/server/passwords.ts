import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { limitConcurrency } from '#shared/concurrency.ts'

/** argon2id, 19 MiB, two passes: 48 ms on the machine this was measured on. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A flood of logins must not take the whole thread pool from those who are reading files. */
const few = limitConcurrency(Math.max(2, Math.min(4, availableParallelism())))

export const hashPassword = (password: string) => few(() => hash(password, cost))

/** Looks like a stored one and takes as long to compare, but is of no password: used where there is no account. */
const nobodysHash = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${randomText(16)}$${randomText(32)}`

function randomText(bytes: number) {
  return randomBytes(bytes).toString('base64').replaceAll('=', '')
}

/** Takes the same time whether or not there is an account to compare with, from the first time on. */
export async function verifyPassword(password: string, passwordHash: string | undefined) {
  const isRight = await few(() => verify(passwordHash ?? nobodysHash, password))
  return isRight && passwordHash !== undefined
}
