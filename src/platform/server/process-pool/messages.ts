/** What the server and its child processes say to each other. */
export type Request = { task: unknown }

export type Response =
  /** It has loaded, and can do its first task. */
  | { type: 'ready' }
  | { type: 'progress'; value: unknown }
  | { type: 'done'; value: unknown }
  | { type: 'refused'; message: string; code: string; status: number; details: Record<string, unknown> }
  /** Something that the child did not expect either. */
  | { type: 'failed'; message: string }
