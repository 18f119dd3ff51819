/** Separate from the contract, so that the browser loads it without the schemas. */
export const maxWebsites = 200
export const maxWebsiteNameLength = 200
export const maxLanguages = 20
/** For tone, audience, keywords, creator and license. */
export const maxWordsLength = 500
