/** How one file ended: in the library, not this time, or never as it is. */
export type UploadOutcome =
  | { status: 'done'; mediaId?: number; wasThere?: boolean }
  | { status: 'failed' | 'refused'; message: string }

export const connectionLost = {
  status: 'failed',
  message: 'The connection to the server was lost. Please try again.',
} as const satisfies UploadOutcome
