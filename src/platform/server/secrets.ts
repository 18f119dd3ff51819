import type { Config } from './config.ts'

/** A shorter key is not a secret, such as the "ollama" that some programs require. */
const shortestKey = 8
/** A shorter password would hide parts of nearly every line. */
const shortestPassword = 4

/** The forms in which the configured secrets may appear, longest first. */
let inLog: string[] = []
let inMessages: string[] = []

/**
 * [Note: Secrets stay out of logs and messages]
 * A foreign service may repeat a key or password in its error message, which is logged, stored with a failed job and shown to
 * administrators. The server names its secrets once, when it starts; the log and everything that passes on the message of an
 * unknown error remove them.
 */
export function hideSecrets({ ai, imageKit, s3, databaseUrl }: Pick<Config, 'ai' | 'imageKit' | 's3' | 'databaseUrl'>) {
  const keys = [ai.endpoint?.apiKey, imageKit?.privateKey, s3?.secretAccessKey]
  const passwords = [databaseUrl, ai.endpoint?.baseUrl, ai.hubUrl, s3?.endpoint].map(passwordOf)
  // A password that is a plain word, such as "password", would hide that word in every message.
  const unusual = passwords.filter((password) => !/^[a-z]*$/i.test(password))
  inLog = formsOf(keys, shortestKey).concat(formsOf(passwords, shortestPassword)).sort(longestFirst)
  inMessages = formsOf(keys, shortestKey).concat(formsOf(unusual, shortestKey)).sort(longestFirst)
}

const longestFirst = (one: string, other: string) => other.length - one.length

/** As in the address, where special characters are escaped. */
const passwordOf = (address: string | undefined) => (address ? new URL(address).password : '')

function formsOf(secrets: (string | undefined)[], shortest: number) {
  const forms = secrets.flatMap((secret = '') => {
    const plain = decoded(secret)
    if (plain.length < shortest) return []
    return [secret, plain, encodeURIComponent(plain), asBasicUser(plain)]
  })
  return [...new Set(forms)]
}

/** As the user of basic authentication, which is how ImageKit's key is sent; what follows it changes the last three bytes. */
function asBasicUser(key: string) {
  const bytes = Buffer.from(`${key}:`)
  return bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')
}

function decoded(secret: string) {
  try {
    return decodeURIComponent(secret)
  } catch {
    return secret // a percent sign of its own
  }
}

const strip = (text: string, secrets: string[]) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)

/** For messages of errors that other programs wrote. */
export const withoutSecrets = (message: string) => strip(message, inMessages)

/** For a line of the log. Only the strings of a JSON line are changed, so that it stays JSON. */
export function lineWithoutSecrets(line: string) {
  const isClean = inLog.every((secret) => !line.includes(secret) && !line.includes(JSON.stringify(secret).slice(1, -1)))
  if (isClean) return line
  try {
    const clean = (_name: string, value: unknown) => (typeof value === 'string' ? strip(value, inLog) : value)
    return `${JSON.stringify(JSON.parse(line, clean))}\n`
  } catch {
    return strip(line, inLog)
  }
}
