import { uploadApi } from '../contract.ts'
import { readUploadAnswer } from './upload-answer.ts'
import { connectionLost } from './upload-outcome.ts'
import type { SendFile } from './uploader.ts'

/** By XMLHttpRequest: fetch does not tell how many bytes have left. */
export const sendFile: SendFile = (file, fields, { signal, onSent }) =>
  new Promise((resolve) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('files', file, file.name)

    const request = new XMLHttpRequest()
    request.open(uploadApi.upload.method, uploadApi.upload.path)
    request.withCredentials = true
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      // The form around the file adds a few bytes; the share is the same.
      if (lengthComputable) onSent(Math.round(file.size * (loaded / total)))
    }
    request.onload = () => resolve(readUploadAnswer(request.status, request.responseText || request.statusText))
    request.onerror = () => resolve(connectionLost)
    request.onabort = () => resolve(connectionLost)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
