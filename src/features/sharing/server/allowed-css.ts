const names = (text: string) => new Set(text.trim().split(/\s+/))

/** Colour, type, spacing, borders, boxes and the grid: nothing that leaves its place or fetches anything. */
export const allowedProperties = names(`
  color background background-color background-image background-position background-size background-repeat
  background-clip opacity accent-color caret-color
  font font-family font-size font-style font-weight font-variant font-variant-numeric font-stretch font-feature-settings
  line-height letter-spacing word-spacing text-align text-transform text-decoration text-decoration-color
  text-decoration-line text-decoration-style text-decoration-thickness text-underline-offset text-indent text-shadow
  text-wrap text-overflow white-space hyphens overflow-wrap word-break
  margin margin-top margin-right margin-bottom margin-left margin-block margin-inline
  padding padding-top padding-right padding-bottom padding-left padding-block padding-inline
  border border-top border-right border-bottom border-left border-color border-style border-width border-radius
  border-top-left-radius border-top-right-radius border-bottom-left-radius border-bottom-right-radius
  outline outline-color outline-offset outline-style outline-width box-shadow
  width min-width max-width height min-height max-height aspect-ratio box-sizing object-fit object-position
  display visibility gap row-gap column-gap columns column-count column-width
  grid-template-columns grid-auto-rows grid-column grid-row
  align-items align-content align-self justify-content justify-items justify-self place-items place-content
  flex flex-basis flex-direction flex-grow flex-shrink flex-wrap order
  list-style list-style-type vertical-align cursor content filter mix-blend-mode
  transform transform-origin transition transition-property transition-duration transition-timing-function
`)

export const allowedFunctions = names(`
  rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark
  calc min max clamp minmax repeat fit-content round abs
  linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient
  cubic-bezier steps
  translate translatex translatey scale scalex scaley rotate skew skewx skewy
  blur brightness contrast drop-shadow grayscale hue-rotate invert saturate sepia opacity
`)

export const allowedPseudoClasses = names(`
  hover focus focus-visible focus-within active visited link first-child last-child only-child first-of-type
  last-of-type only-of-type nth-child nth-last-child nth-of-type nth-last-of-type empty
`)

export const allowedPseudoElements = names('before after first-letter first-line marker placeholder selection')
