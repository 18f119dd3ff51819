/** One place of the offline city list. */
type City = { name: string; country: string; latitude: number; longitude: number; population: number }

/** Parts of a city ("7th arrondissement") and places that are gone would hide the town that people name. */
const skippedKinds = new Set(['PPLX', 'PPLH', 'PPLQ', 'PPLW'])

/**
 * Turns GeoNames' cities, packed as protobuf messages without a frame around them, into lines of name, country,
 * latitude, longitude and population, sorted by latitude so that a look-up reads a narrow band.
 */
export function convertCities(packed: Uint8Array): Buffer {
  const reader = createReader(packed)
  const cities: City[] = []
  let latitude = 0
  let longitude = 0
  while (!reader.isAtEnd()) {
    const end = reader.varint() + reader.position()
    const city = { name: '', country: '', population: 0 }
    let kind = ''
    while (reader.position() < end) {
      const tag = reader.varint()
      const field = tag >> 3
      if ((tag & 7) === 2) {
        const text = reader.text()
        if (field === 2) city.name = text
        else if (field === 3) city.country = text
        else if (field === 7) kind = text
      } else {
        const value = reader.varint()
        // Coordinates are differences to the city before, in hundred-thousandths of a degree.
        if (field === 9) city.population = value
        else if (field === 10) longitude += unzigzag(value)
        else if (field === 11) latitude += unzigzag(value)
      }
    }
    if (!skippedKinds.has(kind)) cities.push({ ...city, latitude, longitude })
  }
  cities.sort((a, b) => a.latitude - b.latitude || a.longitude - b.longitude)
  const lines = cities.map(({ name, country, ...city }) =>
    [name.replace(/\s+/g, ' '), country, city.latitude / 1e5, city.longitude / 1e5, city.population].join('\t'),
  )
  return Buffer.from(`${lines.join('\n')}\n`)
}

const unzigzag = (value: number) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2)

function createReader(bytes: Uint8Array) {
  let position = 0
  const decoder = new TextDecoder()

  function varint(): number {
    let value = 0
    let factor = 1
    for (;;) {
      const byte = bytes[position++]
      if (byte === undefined) throw new Error('The city list ends in the middle of a number')
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
      factor *= 128
    }
  }

  return {
    varint,
    position: () => position,
    isAtEnd: () => position >= bytes.length,
    text() {
      const length = varint()
      const text = decoder.decode(bytes.subarray(position, position + length))
      position += length
      return text
    },
  }
}
