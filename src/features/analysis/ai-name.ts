/** The name shown to users. The model names of the built-in AI would mean nothing to them. */
export const aiName = (provider: string | null, model: string) => (provider === 'local' ? 'the built-in AI' : model)
