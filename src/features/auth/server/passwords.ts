import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { limitConcurrency } from '#shared/limit-concurrency.ts'

/** argon2id, 19 MiB, two passes: 48 ms on the machine this was measured on. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A flood of logins must not take the whole thread pool from those who are reading files. */
const few = limitConcurrency(Math.max(2, Math.min(4, availableParallelism())))

export const hashPassword = (password: string) => few(() => hash(password, cost))

let unknownUserHash: Promise<string> | undefined

/** Takes the same time whether or not there is an account to compare with. */
export async function verifyPassword(password: string, passwordHash: string | undefined) {
  unknownUserHash ??= hashPassword('nobody has this password')
  const isRight = await few(async () => verify(passwordHash ?? (await unknownUserHash!), password))
  return isRight && passwordHash !== undefined
}
