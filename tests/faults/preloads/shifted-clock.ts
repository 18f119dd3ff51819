// Loaded before the product: `process.send({ shiftMs })` sets its clock that much off, as a person or a dead battery would.
const RealDate = Date
let shiftMs = 0

class ShiftedDate extends RealDate {
  constructor(...args: unknown[]) {
    // Only "now" is off; a date that is named stays what it is.
    super(...((args.length === 0 ? [ShiftedDate.now()] : args) as [number]))
  }

  static override now() {
    return RealDate.now() + shiftMs
  }
}
globalThis.Date = ShiftedDate as DateConstructor

process.on('message', (message) => {
  shiftMs = (message as { shiftMs: number }).shiftMs
  process.send?.('heard')
})
