import { ApiError } from './call.ts'

/** For a notice about what has no other way back: where no answer came, the next try may get one. */
export function tryAgain(error: unknown, onSelect: () => void) {
  return error instanceof ApiError ? undefined : { label: 'Try again', onSelect }
}
