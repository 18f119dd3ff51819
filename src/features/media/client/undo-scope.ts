/**
 * Undo requests are sent one at a time. An undo skips what changed since, so if it overtook the undo of a later change, it
 * would do nothing and could not be repeated.
 */
export const undoScope = { id: 'undo' }
