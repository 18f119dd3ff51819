/**
 * The few parts of the protobuf wire format that an ONNX file needs. Every function returns one encoded field;
 * a message is its fields, one after the other.
 */
const wireType = { varint: 0, bytes: 2 } as const

export function encodeVarint(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value))
  const encoded: number[] = []
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    encoded.push(rest > 0n ? low | 0x80 : low)
  } while (rest > 0n)
  return Buffer.from(encoded)
}

const encodeTag = (field: number, type: number) => encodeVarint((field << 3) | type)

export const message = (...fields: Uint8Array[]) => Buffer.concat(fields)

export const integerField = (field: number, value: number | bigint) =>
  message(encodeTag(field, wireType.varint), encodeVarint(value))

export const bytesField = (field: number, value: Uint8Array) =>
  message(encodeTag(field, wireType.bytes), encodeVarint(value.byteLength), value)

export const textField = (field: number, value: string) => bytesField(field, Buffer.from(value))
