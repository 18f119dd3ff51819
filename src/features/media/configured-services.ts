import { z } from 'zod'

/** The client offers only actions whose service is configured. */
export const ConfiguredServices = z.object({
  hasAi: z.boolean(),
  hasBackgroundRemoval: z.boolean(),
  hasImageKit: z.boolean(),
  aiLanguage: z.string(),
  writtenLanguages: z.array(z.string()).nullable().describe('Null: any, as a model is connected'),
})
