/** In which the server makes smaller versions of a picture. */
export const renditionWidths = [320, 640, 960, 1280, 1920, 2560] as const

/** Without those that are smaller than the thumbnail. */
export const largeWidths = renditionWidths.filter((width) => width > 400)

/** Of the picture that stands for a video: on a phone or in a page, and on a whole screen. */
export const posterWidths = { small: 1280, large: 1920 } as const satisfies Record<
  string,
  (typeof renditionWidths)[number]
>
