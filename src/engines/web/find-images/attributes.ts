/** The attributes of a start tag, names in lower case, each name once. */
export type Attributes = ReadonlyArray<{ name: string; value: string }>

export function attributeOf(attributes: Attributes, name: string): string | undefined {
  return attributes.find((attribute) => attribute.name === name)?.value
}

export function classesOf(attributes: Attributes): string[] {
  const value = attributeOf(attributes, 'class')
  return value ? value.slice(0, 500).toLowerCase().split(/\s+/) : []
}
