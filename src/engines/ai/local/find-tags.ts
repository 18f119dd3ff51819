import type { AiTag } from '../provider.ts'
import type { Classification } from './classifier.ts'
import type { Detection } from './detector.ts'
import type { Concept } from './heads.ts'
import classes from './labels/imagenet.json' with { type: 'json' }
import {
  attractorClasses,
  backgroundTags,
  clothingGroups,
  detectedGroups,
  doubtfulDetections,
  doubtfulGroups,
  graphicKinds,
  hiddenGroups,
  impliedTags,
  preferredWords,
  renamedClasses,
  settings,
  speciesGroups,
  sportsOfPeople,
  supportingConcepts,
} from './tag-rules.ts'

/**
 * [Note: When a tag counts]
 * Probabilities are summed over concept groups, because the classifier splits "dog" over 118 breeds: a group counts at
 * 0.70, and from 0.50 where a head or the detector supports it; a class at 0.80, a class that attracts everything at
 * 0.92. A detection counts at 0.70, a person at 0.50, and at 0.40 where the classifier agrees. In drawings and
 * screenshots only what is beyond doubt counts. Measured on the tuning half of `evaluation`.
 */
const certainty = {
  group: 0.7,
  supportedGroup: 0.5,
  doubtfulGroup: 0.8,
  leaf: 0.8,
  species: 0.8,
  attractor: 0.92,
  clothing: 0.85,
  graphic: 0.9,
  guess: 0.3,
}
/** A head or a detection that would not be a tag of its own still supports a group. */
const support = { concept: 0.5, detection: 0.3 }

type Findings = Pick<Classification, 'probabilities'> & {
  detections: Omit<Detection, 'corners'>[]
  concepts: Concept[]
}
type Evidence = Findings & { groups: Map<string, number>; hasPerson: boolean }

/** The tags of a picture; their scores tell how much of what the picture is about they tell, not only how sure they are. */
export function findTags(all: Findings & { isOnPlainGround?: boolean }): AiTag[] {
  const graphics = all.concepts.filter(({ name, isRecognised }) => isRecognised && graphicKinds.has(name))
  if (graphics.length > 0) return weigh(addImplied([...graphics.map(conceptTag), ...surelyShown(all)]))
  const findings = all.isOnPlainGround ? withoutSettings(all) : all
  const evidence: Evidence = {
    ...findings,
    groups: sumGroups(findings.probabilities),
    hasPerson: findings.detections.some(({ label, score }) => label === 'person' && score >= 0.45),
  }
  const found = [...groupTags(evidence), ...classTags(evidence), ...detectedTags(evidence), ...conceptTags(evidence)]
  return weigh(addImplied((found.length > 0 ? found : likeliestTags(evidence)).map(preferWord)))
}

/** What a drawing or a screenshot shows is often mistaken, and it has no setting: only what is beyond doubt counts. */
function surelyShown({ probabilities, detections }: Findings): AiTag[] {
  const groups = [...sumGroups(probabilities)]
    .filter(([name, score]) => score >= certainty.graphic && !hiddenGroups.has(name))
    .map(([name, score]) => ({ name, score: Math.min(1, score), source: 'classifier' as const }))
  const hasPerson = detections.some(({ label, score }) => label === 'person' && score >= certainty.graphic)
  return [...groups, ...classTags({ probabilities, hasPerson }).filter(({ score }) => score >= certainty.graphic)]
}

/** A product on a white ground stands in no street and under no sky. */
const withoutSettings = (findings: Findings): Findings => ({
  ...findings,
  concepts: findings.concepts.filter(({ name }) => !settings.has(name)),
})

/** A sport is told by who does it: without a person, spray is no surfing and a snowy slope no skiing. */
function conceptTags({ concepts, detections }: Evidence): AiTag[] {
  const mayBePerson = detections.some(({ label, score }) => label === 'person' && score >= support.detection)
  return concepts
    .filter(({ name, isRecognised }) => isRecognised && (mayBePerson || !sportsOfPeople.has(name)))
    .map(conceptTag)
}

/** Where nothing is certain, the one best guess is worth more to a person who searches than no tag at all. */
function likeliestTags({ groups, concepts, detections }: Evidence): AiTag[] {
  const guesses: AiTag[] = [
    ...detections.map(({ label, score }) => ({ name: label, score, source: 'detector' as const })),
    ...[...groups]
      .filter(([name]) => !hiddenGroups.has(name))
      .map(([name, score]) => ({ name, score, source: 'classifier' as const })),
    ...concepts.filter(({ name }) => !sportsOfPeople.has(name)).map(conceptTag),
  ]
  const best = guesses.filter(({ score }) => score >= certainty.guess).sort((a, b) => b.score - a.score)[0]
  return best ? [best] : []
}

const conceptTag = ({ name, probability }: Concept): AiTag => ({ name, score: probability, source: 'classifier' })

const preferWord = (tag: AiTag): AiTag => ({ ...tag, name: preferredWords.get(tag.name) ?? tag.name })

function addImplied(tags: AiTag[]): AiTag[] {
  const all = [...tags]
  // A tag that was added may imply others: a forest means trees, and trees mean nature.
  for (const { name, score } of all) {
    for (const implied of impliedTags.get(name) ?? []) {
      if (!all.some((tag) => tag.name === implied)) all.push({ name: implied, score, source: 'rule' })
    }
  }
  return all
}

/** What a picture shows comes before what it stands in, and before words that other tags imply. */
function weigh(tags: AiTag[]): AiTag[] {
  const implied = new Set(tags.flatMap(({ name }) => impliedTags.get(name) ?? []))
  return tags.map((tag) => {
    const weight = backgroundTags.has(tag.name) || implied.has(tag.name) ? 0.6 : 1
    return { ...tag, score: tag.score * weight }
  })
}

function sumGroups(probabilities: Float32Array): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [index, { groups }] of classes.entries()) {
    for (const group of groups) sums.set(group, (sums.get(group) ?? 0) + probabilities[index]!)
  }
  return sums
}

function groupTags(evidence: Evidence): AiTag[] {
  return [...evidence.groups].flatMap(([name, score]) => {
    const isCertain =
      score >= groupThreshold(name, evidence) &&
      !hiddenGroups.has(name) &&
      !(evidence.hasPerson && clothingGroups.has(name) && score < certainty.clothing)
    return isCertain ? [{ name, score: Math.min(1, score), source: 'classifier' as const }] : []
  })
}

function groupThreshold(name: string, evidence: Evidence): number {
  const { detections } = evidence
  const detected = detections.filter(({ label }) => label === name || detectedGroups.get(label) === name)
  const isDetected = detected.some(({ score }) => score >= support.detection)
  if (name === 'animal' || name === 'insect') {
    // Petals and leaves look like insects to the classifier, and an animal that fills the picture is detected.
    const isSurelyDetected = detected.some(({ score }) => score >= certainty.group)
    if (!isSurelyDetected && hasConcept(evidence, ['flower', 'plant'])) return 0.9
  }
  if (doubtfulGroups.has(name)) return certainty.doubtfulGroup
  const isSupported = isDetected || hasConcept(evidence, supportingConcepts.get(name) ?? [name])
  return isSupported ? certainty.supportedGroup : certainty.group
}

const hasConcept = ({ concepts }: Evidence, names: string[]) =>
  concepts.some(({ name, probability }) => probability >= support.concept && names.includes(name))

function classTags({ probabilities, hasPerson }: Pick<Evidence, 'probabilities' | 'hasPerson'>): AiTag[] {
  return classes.flatMap(({ label, groups }, index) => {
    const score = probabilities[index]!
    const word = label.toLowerCase()
    const isSpecies = groups.some((group) => speciesGroups.has(group))
    const threshold = isSpecies ? certainty.species : certainty.leaf
    if (score < (attractorClasses.has(word) ? certainty.attractor : threshold)) return []
    if (hasPerson && score < 0.9 && groups.some((group) => clothingGroups.has(group))) return []
    const name = renamedClasses.has(word) ? renamedClasses.get(word) : word
    return name ? [{ name, score, source: 'classifier' as const }] : []
  })
}

function detectedTags({ probabilities, detections, groups }: Evidence): AiTag[] {
  const byLabel = Object.entries(Object.groupBy(detections, ({ label }) => label))
  return byLabel.flatMap(([name, found = []]) => {
    const threshold = detectionThreshold(name, probabilities, groups)
    const score = Math.max(...found.map((detection) => detection.score))
    if (score < threshold) return []
    const count = found.filter((detection) => detection.score >= Math.min(threshold, 0.45)).length
    const area = Math.max(...found.map((detection) => detection.area))
    // What is small stands in the background, however sure the detector is of it.
    const prominence = 0.55 + 0.45 * Math.min(1, 1.5 * Math.sqrt(area))
    const tag: AiTag = { name, score: score * prominence, source: 'detector', count }
    const group = detectedGroups.get(name)
    return group ? [tag, { name: group, score: tag.score, source: 'detector' }] : [tag]
  })
}

function detectionThreshold(name: string, probabilities: Float32Array, groups: Map<string, number>): number {
  const share = (group: string) => groups.get(group) ?? 0
  const isClass = (lowest: number, test: (entry: { label: string; groups: string[] }) => boolean) =>
    classes.some((entry, index) => probabilities[index]! > lowest && test(entry))
  const group = detectedGroups.get(name)

  if (group === 'animal') {
    const isOtherAnimal = share('animal') > 0.6 && share(name) < 0.2 && name !== 'bear'
    if (isOtherAnimal) return 0.9
    const isSurelyNoAnimal = share('animal') < 0.05 && probabilities.some((value) => value > 0.6)
    if (isSurelyNoAnimal) return 0.85
  }
  const isOtherFruit =
    group === 'fruit' &&
    share('fruit') > 0.6 &&
    isClass(0.5, (entry) => entry.label.toLowerCase() !== name && entry.groups.includes('fruit'))
  if (isOtherFruit) return 0.8
  const isAgreed = share(name) > 0.15 || isClass(0.12, ({ label }) => label.toLowerCase().split(' ').includes(name))
  if (isAgreed) return doubtfulDetections.has(name) ? 0.7 : 0.4
  if (doubtfulDetections.has(name)) return 0.85
  return name === 'person' ? 0.5 : 0.7
}
