import { renamedClasses } from '../tag-rules.ts'
import classes from './imagenet.json' with { type: 'json' }

/** What a class is a kind of, by its word: an egret is a bird, an espresso coffee. */
const kindsOf = new Map(
  classes.map(({ label, groups }) => [renamedClasses.get(label.toLowerCase()) ?? label.toLowerCase(), groups]),
)

export const groupsOf = (word: string): readonly string[] => kindsOf.get(word) ?? []

/** How many classes a group has: the fewer, the more it says. */
export const groupSizes: ReadonlyMap<string, number> = classes
  .flatMap(({ groups }) => groups)
  .reduce((sizes, group) => sizes.set(group, (sizes.get(group) ?? 0) + 1), new Map<string, number>())
