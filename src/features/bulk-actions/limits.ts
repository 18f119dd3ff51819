export const maxBaseNameLength = 150
export const maxPrefixLength = 100
