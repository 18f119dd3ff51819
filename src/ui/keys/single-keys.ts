import { storedChoice } from '../stored-choice.ts'

const choice = storedChoice('albumen-single-keys')

/** Whether a letter, a digit or a sign by itself does something. Whoever dictates would set one off with every word. */
export const areSingleKeysOn = () => choice.read() !== 'off'

export const chooseSingleKeys = (areOn: boolean) => choice.write(areOn ? 'on' : 'off')
