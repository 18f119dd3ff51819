/** In which the server makes smaller versions of a picture. */
export const renditionWidths = [320, 640, 960, 1280, 1920, 2560] as const

/** Without those that are smaller than the thumbnail. */
export const largeWidths = renditionWidths.filter((width) => width > 400)
