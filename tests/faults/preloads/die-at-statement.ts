import { DatabaseSync } from 'node:sqlite'

// Loaded before the product: after so many calls with plain SQL the process ends as if by kill -9.
const last = Number(process.env.DIE_AT_STATEMENT)
const exec = DatabaseSync.prototype.exec
let count = 0
DatabaseSync.prototype.exec = function (sql: string) {
  exec.call(this, sql)
  if (++count >= last) process.kill(process.pid, 'SIGKILL')
}
