const iconSize = 96

/** A picture of so few pixels would be a blur in the size of a photograph. */
export const isIcon = (picture: { width: number; height: number }) =>
  Math.max(picture.width, picture.height) <= iconSize
