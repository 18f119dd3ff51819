/** The name shown to users. The model names of the built-in AI and of the hub would mean nothing to them. */
export function aiName(provider: string | null, model: string): string {
  if (provider === 'local') return 'the built-in AI'
  if (provider === 'hub') return 'a larger AI model on this server'
  return model
}
