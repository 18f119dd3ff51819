import { z } from 'zod'
import { route } from '#platform/contract.ts'
import { canonicalLanguage } from '#shared/languages.ts'

export const minPasswordLength = 6
export const maxPasswordLength = 256

/** What the interface remembers for a user, such as the layout of lists. The server only stores it. */
export const Preferences = z.record(
  z.string().regex(/^[a-zA-Z]{1,40}$/, 'The name of a preference consists of letters.'),
  z.union([z.string().max(40), z.number(), z.boolean()]),
)
export type Preferences = z.infer<typeof Preferences>

/** Others only change the interface, but this one what the AI writes; an empty one stands for the server's language. */
const PreferenceChanges = Preferences.refine(
  ({ aiLanguage: tag }) =>
    tag === undefined || tag === '' || (typeof tag === 'string' && canonicalLanguage(tag) !== undefined),
  { path: ['aiLanguage'], message: 'Use a language tag such as "en", "de" or "pt-BR".' },
)

export const maxPreferences = 50

export const User = z.object({
  id: z.number(),
  username: z.string(),
  email: z.string(),
  isAdmin: z.boolean(),
  preferences: Preferences,
  createdAt: z.string(),
})
export type User = z.infer<typeof User>

export const Password = z
  .string('Please enter a password.')
  .min(minPasswordLength, `The password must have at least ${minPasswordLength} characters.`)
  .max(maxPasswordLength, `The password must have at most ${maxPasswordLength} characters.`)

const tooLong = 'This is too long.'

const knownPassword = (missing: string) => z.string(missing).min(1, missing).max(maxPasswordLength, tooLong)

export const Credentials = z.object({
  username: z.string('Please enter your username.').trim().min(1, 'Please enter your username.').max(64, tooLong),
  password: knownPassword('Please enter your password.'),
})
export type Credentials = z.infer<typeof Credentials>

export const PasswordChange = z.object({
  currentPassword: knownPassword('Please enter your current password.'),
  newPassword: Password,
})
export type PasswordChange = z.infer<typeof PasswordChange>

export const Registration = z.object({
  username: z
    .string('Please choose a username.')
    .trim()
    .min(3, 'The username must have at least 3 characters.')
    .max(64, 'The username must have at most 64 characters.')
    .regex(/^[^\p{C}]+$/u, 'The username must not contain control characters.')
    // Fillers and blanks such as U+3164 and U+2800 count as letters and symbols, but show nothing.
    .regex(/^(?:[^\p{DI}\u2800]|[\ufe0e\ufe0f])+$/u, 'The username must not contain invisible characters.')
    .regex(/[\p{L}\p{N}\p{P}\p{S}]/u, 'The username must contain visible characters.'),
  email: z.email('Please enter an email address.').max(254, 'The email address is too long.'),
  password: Password,
})
export type Registration = z.infer<typeof Registration>

const StorageSummary = z.object({ usedBytes: z.number(), totalFiles: z.number(), quotaBytes: z.number() })

export const authApi = {
  currentUser: route({ method: 'GET', path: '/api/user', summary: 'Get the current user', response: User }),
  login: route({ method: 'POST', path: '/api/login', summary: 'Sign in', body: Credentials, response: User }),
  registration: route({
    method: 'GET',
    path: '/api/registration',
    summary:
      'Check whether any account exists (the first one becomes the administrator) and whether registration is open',
    response: z.object({ isFirst: z.boolean(), isOpen: z.boolean() }),
  }),
  register: route({
    method: 'POST',
    path: '/api/register',
    summary: 'Create an account and sign in',
    body: Registration,
    success: 201,
    response: User,
  }),
  logout: route({
    method: 'POST',
    path: '/api/logout',
    summary: 'Sign out',
    response: z.object({ message: z.string() }),
  }),
  changePassword: route({
    method: 'PUT',
    path: '/api/user/password',
    summary: 'Change your password; your other sessions end',
    body: PasswordChange,
    response: User,
  }),
  changePreferences: route({
    method: 'PATCH',
    path: '/api/user/preferences',
    summary: 'Change what the interface remembers for you',
    body: PreferenceChanges,
    response: Preferences,
  }),
  storage: route({
    method: 'GET',
    path: '/api/user/storage',
    summary: 'Get used storage and quota',
    response: StorageSummary,
  }),
}
