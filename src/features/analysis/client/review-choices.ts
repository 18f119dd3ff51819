import type { Proposal, ProposalChoice } from '../contract.ts'

/** Which changes of tags are not wanted, after one of them was pressed. */
export function toggleTag({ tags }: Pick<Proposal, 'tags'>, pressed: string): string[] {
  return tags
    .filter(({ tag, isAccepted, change }) => change !== 'kept' && (tag === pressed ? isAccepted : !isAccepted))
    .map(({ tag }) => tag)
}

export type ReviewItems = { items: Proposal[]; accepted: number }

/** The page of a review after a choice, before the server has heard of it. */
export const withChoice = <T extends ReviewItems>(review: T, mediaId: number, choice: ProposalChoice): T =>
  withItems(
    review,
    review.items.map((item) => (item.media.id === mediaId ? choose(item, choice) : item)),
  )

/** The page of a review after the server has answered for one of its items. */
export const withProposal = <T extends ReviewItems>(review: T, proposal: Proposal): T =>
  withItems(
    review,
    review.items.map((item) => (item.media.id === proposal.media.id ? proposal : item)),
  )

function withItems<T extends ReviewItems>(review: T, items: Proposal[]): T {
  const before = review.items.filter(({ isAccepted }) => isAccepted).length
  const after = items.filter(({ isAccepted }) => isAccepted).length
  return { ...review, items, accepted: review.accepted + after - before }
}

function choose(proposal: Proposal, choice: ProposalChoice): Proposal {
  const { description, tags } = proposal
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
  }
}
