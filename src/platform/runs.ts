import { z } from 'zod'

/** Get run progress. `runId` is the name that the page chose for it, or its number. */
export const RunProgress = z.object({
  runId: z.string(),
  isRunning: z.boolean(),
  done: z.number().describe('Items that have ended, the failed ones among them'),
  failed: z.number(),
  total: z.number(),
  pause: z
    .string()
    .nullable()
    .describe('Why the run is paused, such as a rate limit of the AI; it resumes automatically'),
})
export type RunProgress = z.infer<typeof RunProgress>
