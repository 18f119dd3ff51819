import type { Proposal, ProposalChoice } from '../contract.ts'

/** The rejected tags after a tag was clicked. */
export function toggleTag({ tags }: Pick<Proposal, 'tags'>, pressed: string): string[] {
  return tags
    .filter(({ tag, isAccepted, change }) => change !== 'kept' && (tag === pressed ? isAccepted : !isAccepted))
    .map(({ tag }) => tag)
}

/** The rejected languages after one was clicked. */
export function toggleLanguage({ altTexts }: Pick<Proposal, 'altTexts'>, pressed: string): string[] {
  return altTexts
    .filter(({ language, isAccepted }) => (language === pressed ? isAccepted : !isAccepted))
    .map(({ language }) => language)
}

/** Applying the suggestion would not change the item. */
export const isUnchanged = ({ description, tags, altTexts }: Proposal) =>
  description === null && altTexts.length === 0 && tags.every(({ change }) => change === 'kept')

export type ReviewItems = { items: Proposal[]; accepted: number }

/** The review page after a choice, shown before the server confirms it. */
export const withChoice = <T extends ReviewItems>(review: T, mediaId: number, choice: ProposalChoice): T =>
  withItem(review, mediaId, (item) => choose(item, choice))

/** The review page after the server's response for one item. */
export const withProposal = <T extends ReviewItems>(review: T, proposal: Proposal): T =>
  withItem(review, proposal.media.id, () => proposal)

function withItem<T extends ReviewItems>(review: T, mediaId: number, change: (item: Proposal) => Proposal): T {
  const items = review.items.map((item) => (item.media.id === mediaId ? change(item) : item))
  const before = review.items.filter(({ isAccepted }) => isAccepted).length
  const after = items.filter(({ isAccepted }) => isAccepted).length
  return { ...review, items, accepted: review.accepted + after - before }
}

function choose(proposal: Proposal, choice: ProposalChoice): Proposal {
  const { description, tags, altTexts } = proposal
  return {
    ...proposal,
    isAccepted: choice.isAccepted ?? proposal.isAccepted,
    description: description && {
      ...description,
      isAccepted: choice.isDescriptionAccepted ?? description.isAccepted,
    },
    tags: tags.map((each) => ({
      ...each,
      isAccepted: choice.refusedTags ? !choice.refusedTags.includes(each.tag) : each.isAccepted,
    })),
    altTexts: altTexts.map((each) => ({
      ...each,
      isAccepted: choice.refusedLanguages ? !choice.refusedLanguages.includes(each.language) : each.isAccepted,
    })),
  }
}
