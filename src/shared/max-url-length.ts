/** Hardly any server accepts longer URLs, and the library stores the URL of each import. */
export const maxUrlLength = 8192
