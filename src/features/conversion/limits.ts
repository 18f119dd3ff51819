export const minQuality = 10
export const maxQuality = 100
export const defaultQuality = 80
