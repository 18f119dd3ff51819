import type { Kysely } from 'kysely'
import type { Owned } from '#features/media/server/owned.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { conflict, invalid, notFound } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { type Preset, PresetChanges } from '../contract.ts'
import { maxPresets } from '../limits.ts'
import { listWebsitePresets, loadSettings, mergePresets, readPresets, updatePresets } from './store.ts'

type Database = Kysely<Tables>

export async function listPresets(db: Database, ownerId: number) {
  return readPresets((await loadSettings(db, ownerId))?.presets)
}

/** Those that the item's addresses may name. */
export async function listPresetsOf(db: Database, { id, owner_id }: Owned<MediaRow>) {
  return mergePresets(await listWebsitePresets(db, id), await listPresets(db, owner_id))
}

export async function createPreset(db: Database, ownerId: number, preset: Preset) {
  await change(db, ownerId, (presets) => {
    if (presets.some(({ name }) => name === preset.name))
      throw conflict('You already have a preset with this name.', { field: 'name' })
    if (presets.length >= maxPresets) throw conflict(`You can have up to ${maxPresets} presets. Delete one first.`)
    return [...presets, preset]
  })
  return preset
}

export async function changePreset(db: Database, ownerId: number, name: string, changes: PresetChanges) {
  const presets = await change(db, ownerId, (current) => {
    const preset = { ...findPreset(current, name), ...PresetChanges.parse(changes) }
    if (!preset.width && !preset.height) throw invalid('Enter a width, a height or both.', { field: 'width' })
    return current.map((each) => (each.name === name ? preset : each))
  })
  return findPreset(presets, name)
}

export async function removePreset(db: Database, ownerId: number, name: string) {
  return change(db, ownerId, (presets) => {
    findPreset(presets, name)
    return presets.filter((preset) => preset.name !== name)
  })
}

function findPreset(presets: Preset[], wanted: string) {
  const preset = presets.find(({ name }) => name === wanted)
  if (!preset) throw notFound('Preset')
  return preset
}

function change(db: Database, ownerId: number, edit: (presets: Preset[]) => Preset[]) {
  return db.transaction().execute((transaction) => updatePresets(transaction, ownerId, edit))
}
