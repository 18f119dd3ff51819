import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'

type Answers = { times: number[]; statuses: Map<number, number> }

const endOfHead = '\r\n\r\n'

/**
 * Many visitors at once, each over one connection, one request after the other. They share the machine with the product,
 * so they are as cheap as can be: requests are written beforehand, of an answer only status and length are read, and all
 * read into the same buffer.
 */
export async function visitAll(url: string, paths: string[], visitors: number): Promise<Answers> {
  const { port, hostname, host } = new URL(url)
  const answers: Answers = { times: [], statuses: new Map() }
  const requests = paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: gzip, br\r\n\r\n`),
  )
  const buffer = Buffer.alloc(64 * 1024)
  await Promise.all(Array.from({ length: visitors }, visit))
  return answers

  function visit() {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let next = 0
    let askedAt = 0
    let head = ''
    let bodyLeft = 0
    let status = 0
    const callback = (length: number) => {
      try {
        read(length)
      } catch (error) {
        reject(error)
        socket.destroy()
      }
      return true
    }
    const socket: Socket = connect({ port: Number(port), host: hostname, onread: { buffer, callback } })
    socket.on('connect', ask).on('error', reject)
    socket.on('close', () => reject(new Error(`Expected an answer to request ${next}, received a closed connection`)))
    return promise

    function ask() {
      if (next === requests.length) {
        resolve()
        return void socket.destroy()
      }
      askedAt = performance.now()
      socket.write(requests[next++]!)
    }

    function read(length: number) {
      let at = 0
      if (bodyLeft === 0) {
        head += buffer.toString('latin1', 0, length)
        const end = head.indexOf(endOfHead)
        if (end < 0) return
        at = length - (head.length - end - endOfHead.length)
        status = Number(head.slice(9, 12))
        const contentLength = /^content-length: (\d+)/im.exec(head.slice(0, end))?.[1]
        assert.ok(contentLength, 'Expected answers that tell their length')
        bodyLeft = Number(contentLength)
        head = ''
      }
      bodyLeft -= length - at
      assert.ok(bodyLeft >= 0, 'Expected no more than was announced')
      if (bodyLeft > 0) return
      answers.times.push(performance.now() - askedAt)
      answers.statuses.set(status, (answers.statuses.get(status) ?? 0) + 1)
      ask()
    }
  }
}
