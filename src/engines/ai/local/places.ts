export type Coordinates = { latitude: number; longitude: number }
export type PlaceFinder = (coordinates: Coordinates) => string | null

const farthestKm = 50
const kmPerDegree = 111.2

/**
 * The place that people would name: a large city is named from further away than a village. The table's lines are
 * sorted by latitude; see `convertCities`.
 */
export function createPlaceFinder(table: string): PlaceFinder {
  const cities = table.split('\n').flatMap((line) => {
    const [name, country, latitude, longitude, population] = line.split('\t')
    if (!name || !country) return []
    return [{ name, country, latitude: Number(latitude), longitude: Number(longitude), population: Number(population) }]
  })
  const countryNames = new Intl.DisplayNames(['en'], { type: 'region' })

  function firstFrom(latitude: number): number {
    let [low, high] = [0, cities.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (cities[middle]!.latitude < latitude) low = middle + 1
      else high = middle
    }
    return low
  }

  return ({ latitude, longitude }) => {
    if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return null
    const margin = farthestKm / kmPerDegree
    let best: { name: string; country: string; rank: number } | undefined
    for (let index = firstFrom(latitude - margin); index < cities.length; index++) {
      const city = cities[index]!
      if (city.latitude > latitude + margin) break
      const distance = distanceKm({ latitude, longitude }, city)
      if (distance > farthestKm) continue
      const rank = distance / (1 + Math.log10(Math.max(1000, city.population) / 1000))
      if (!best || rank < best.rank) best = { name: city.name, country: city.country, rank }
    }
    return best ? `${best.name}, ${countryNames.of(best.country) ?? best.country}` : null
  }
}

/** Good enough over tens of kilometres, also across the date line. */
function distanceKm(a: Coordinates, b: Coordinates): number {
  const eastWest = Math.abs(a.longitude - b.longitude)
  const east = Math.min(eastWest, 360 - eastWest) * Math.cos((a.latitude * Math.PI) / 180)
  return Math.hypot(a.latitude - b.latitude, east) * kmPerDegree
}
