import { fileURLToPath } from 'node:url'

export type SampleFile = { path: string; filename: string; credit: string }

/** The authors allow this use if they are named, so their names are the descriptions of the items. NOTICE has the sources. */
const samples = [
  ['two-dogs', 'Two dogs', 'Aitzol Berasategi, CC BY 4.0'],
  ['forest-stream', 'Forest stream', 'Aitzol Berasategi, CC BY 4.0'],
  ['paintbrushes', 'Paintbrushes', 'Trevor “Freespace”, CC BY 4.0'],
  ['dandelion', 'Dandelion', 'Clemens Engelhardt, CC0'],
  ['fig-in-a-bowl', 'Fig in a bowl', 'Trevor “Freespace”, CC BY 4.0'],
  ['autumn-meadow', 'Autumn meadow', 'Aitzol Berasategi, CC BY 4.0'],
  ['nuthatch', 'Nuthatch', 'Lukas Baubkus, CC BY-SA 3.0'],
  ['drum-and-wine', 'Drum and wine', 'Jakub Mede, CC BY 4.0'],
  ['mountain-path', 'Mountain path', 'Aitzol Berasategi, CC BY 4.0'],
  ['sunset', 'Sunset', 'Aitzol Berasategi, CC BY 4.0'],
] as const

export const sampleFiles: SampleFile[] = samples.map(([file, name, author]) => ({
  path: fileURLToPath(new URL(`samples/${file}.jpg`, import.meta.url)),
  filename: `${name}.jpg`,
  credit: `Photo: ${author}`,
}))
