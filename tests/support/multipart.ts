import { randomUUID } from 'node:crypto'

export type TestFile = { name: string; bytes: Uint8Array; mimeType?: string }

/** A multipart body like a browser's: the files first, then the fields. */
export function multipart(files: TestFile[], fields: Record<string, string> = {}, fileField = 'files') {
  const boundary = `----albumen${randomUUID()}`
  const parts: Uint8Array[] = []
  for (const { name, bytes, mimeType = 'application/octet-stream' } of files) {
    const quoted = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
    parts.push(
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${fileField}"; filename="${quoted}"\r\ncontent-type: ${mimeType}\r\n\r\n`,
      ),
    )
    parts.push(bytes, Buffer.from('\r\n'))
  }
  for (const [name, value] of Object.entries(fields)) {
    parts.push(Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`))
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`))
  return { payload: Buffer.concat(parts), headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}
