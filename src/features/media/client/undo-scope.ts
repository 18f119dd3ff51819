/**
 * One after another, as they were pressed. An undo leaves alone what was changed since, and is over then: one that overtakes
 * the undo of a later change finds that change still there, does nothing, and cannot be asked for again.
 */
export const undoScope = { id: 'undo' }
