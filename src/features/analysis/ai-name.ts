/** Who looked, in words: the names of the built-in AI's models say nothing to people. */
export const aiName = (provider: string | null, model: string) => (provider === 'local' ? 'the built-in AI' : model)
