/** Reads the tables of a FlatBuffer. A position of 0 means that the field is absent. */
export type FlatbufferReader = ReturnType<typeof createFlatbufferReader>

export function createFlatbufferReader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

  function fieldAt(table: number, index: number): number {
    const slots = table - view.getInt32(table, true)
    const slot = 4 + 2 * index
    if (slot >= view.getUint16(slots, true)) return 0
    const offset = view.getUint16(slots + slot, true)
    return offset === 0 ? 0 : table + offset
  }

  const follow = (position: number) => position + view.getUint32(position, true)

  function vectorAt(table: number, index: number): { length: number; start: number } | null {
    const field = fieldAt(table, index)
    if (field === 0) return null
    const vector = follow(field)
    return { length: view.getUint32(vector, true), start: vector + 4 }
  }

  function readVector<T>(table: number, index: number, itemBytes: number, read: (position: number) => T): T[] {
    const vector = vectorAt(table, index)
    if (!vector) return []
    return Array.from({ length: vector.length }, (_, item) => read(vector.start + item * itemBytes))
  }

  return {
    root: () => follow(0),
    byte: (table: number, index: number) => {
      const field = fieldAt(table, index)
      return field ? view.getInt8(field) : 0
    },
    integer: (table: number, index: number, fallback = 0) => {
      const field = fieldAt(table, index)
      return field ? view.getInt32(field, true) : fallback
    },
    text: (table: number, index: number) => {
      const vector = vectorAt(table, index)
      if (!vector) return ''
      return new TextDecoder().decode(bytes.subarray(vector.start, vector.start + vector.length))
    },
    bytes: (table: number, index: number) => {
      const vector = vectorAt(table, index)
      return vector && bytes.subarray(vector.start, vector.start + vector.length)
    },
    table: (table: number, index: number) => {
      const field = fieldAt(table, index)
      return field ? follow(field) : 0
    },
    tables: (table: number, index: number) => readVector(table, index, 4, follow),
    integers: (table: number, index: number) =>
      readVector(table, index, 4, (position) => view.getInt32(position, true)),
    floats: (table: number, index: number) =>
      readVector(table, index, 4, (position) => view.getFloat32(position, true)),
    longs: (table: number, index: number) =>
      readVector(table, index, 8, (position) => Number(view.getBigInt64(position, true))),
  }
}
