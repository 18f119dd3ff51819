/** Which of the networks' words are worth telling a person, found by looking at what was wrong on photographs. */

const listOf = (words: string): ReadonlySet<string> => new Set(words.replace(/\s+/g, ' ').trim().split(', '))

/** Groups that exist only to add probabilities up; as tags they would say too little. */
export const hiddenGroups = listOf(`
  bag, clothing, cookware, electronics, fence, footwear, hat, home appliance, house, kitchen appliance, kite or
  parachute, primate, rodent, shop, sports equipment, tableware, tool, wild cat`)

/** Groups that are claimed too easily. */
export const doubtfulGroups: ReadonlySet<string> = new Set(['religious building', 'theatre', 'church', 'kitchen'])

/** Where a person is in the picture, clothes are no news unless they are beyond doubt. */
export const clothingGroups: ReadonlySet<string> = new Set([
  // A cap is enough for the class "ballplayer".
  'baseball',
  'clothing',
  'formal wear',
  'hat',
  'footwear',
  'bag',
  'glasses',
])

/** Groups with many look-alike species: a species needs more certainty than another class. */
export const speciesGroups = listOf(`
  bird, cat, dog, fish, frog, insect, lizard, monkey, mountain, mushroom, religious building, snake, spider,
  turtle`)

/** A class's better word, or null when its group says it better. */
export const renamedClasses: ReadonlyMap<string, string | null> = new Map([
  ['admiral', null],
  ['airliner', 'airplane'],
  ['alp', null],
  ['ballplayer', null],
  ['beach wagon', null],
  ['beacon', 'lighthouse'],
  ['cab', 'taxi'],
  ['cellular telephone', 'cell phone'],
  ['cock', 'rooster'],
  ['computer keyboard', 'keyboard'],
  ['crane', null],
  ['dial telephone', 'telephone'],
  ['disk brake', null],
  ['drake', null],
  ['dutch oven', null],
  ['ear', 'corn'],
  ['egyptian cat', null],
  ['fox squirrel', null],
  ['french loaf', null],
  ['garbage truck', null],
  ['granny smith', 'apple'],
  ['groom', null],
  ['hard disc', null],
  ['hip', 'rose hip'],
  ['hog', null],
  ['home theater', null],
  ['ice bear', 'polar bear'],
  ['jean', 'jeans'],
  ['lakeside', null],
  ['library', null],
  ['maillot', null],
  ['meat loaf', 'meatloaf'],
  ['modem', null],
  ['monarch', 'monarch butterfly'],
  ['moving van', null],
  ['notebook', 'laptop'],
  ['park bench', null],
  ['plate', null],
  ['pop bottle', null],
  ['pot', null],
  ['promontory', null],
  ['ram', null],
  ['ringlet', null],
  ['sandbar', null],
  ['seashore', null],
  ['soccer ball', null],
  ['sorrel', null],
  ['studio couch', null],
  ['sunglass', 'sunglasses'],
  ['tabby', 'tabby cat'],
  ['tiger cat', null],
  ['tub', null],
  ['tusker', 'elephant'],
  ['valley', null],
  ['vault', null],
  ['web site', 'screenshot'],
  ['windsor tie', 'tie'],
])

/** Classes to which the network runs whenever it sees a texture, a pattern or nothing in particular. */
export const attractorClasses = listOf(`
  analog clock, apron, band aid, brass, bubble, chainlink fence, cinema, cloak, coil, crossword puzzle, digital
  clock, doormat, envelope, fur coat, gown, grille, handkerchief, honeycomb, hook, jersey, jigsaw puzzle, lab
  coat, lampshade, marimba, mask, matchstick, maze, menu, mosquito net, nail, oil filter, packet, pajama, paper
  towel, petri dish, plate rack, pole, projectile, quilt, radiator, restaurant, rubber eraser, screw, shower
  curtain, space bar, spotlight, stage, stole, strainer, sundial, sweatshirt, switch, syringe, theater curtain,
  toilet tissue, torch, tray, umbrella, velvet, wall clock, web site, window screen, window shade, wing, wool`)

/** Things that the detector sees in any flat or thin shape. */
export const doubtfulDetections = listOf(`
  apple, cell phone, clock, cup, frisbee, hair drier, kite, microwave, orange, oven, refrigerator, remote, scissors,
  suitcase, toilet, toothbrush, umbrella, vase`)

/** What a detected thing is in general. */
export const detectedGroups: ReadonlyMap<string, 'animal' | 'vehicle' | 'fruit'> = new Map([
  ['airplane', 'vehicle'],
  ['apple', 'fruit'],
  ['banana', 'fruit'],
  ['bear', 'animal'],
  ['bicycle', 'vehicle'],
  ['bird', 'animal'],
  ['boat', 'vehicle'],
  ['bus', 'vehicle'],
  ['car', 'vehicle'],
  ['cat', 'animal'],
  ['cow', 'animal'],
  ['dog', 'animal'],
  ['elephant', 'animal'],
  ['giraffe', 'animal'],
  ['horse', 'animal'],
  ['motorcycle', 'vehicle'],
  ['orange', 'fruit'],
  ['sheep', 'animal'],
  ['train', 'vehicle'],
  ['truck', 'vehicle'],
  ['zebra', 'animal'],
])

/** The heads that support a group which the classifier is not sure of; without an entry, the head of the same name. */
export const supportingConcepts: ReadonlyMap<string, string[]> = new Map([
  ['building', ['building', 'city']],
  ['castle', ['building']],
  ['coast', ['water', 'sea', 'beach']],
  ['dining', ['food', 'restaurant']],
  ['flower', ['flower', 'plant']],
  ['fruit', ['fruit', 'food']],
  ['harbour', ['harbour']],
  ['lake', ['lake', 'water']],
  ['landscape', ['landscape', 'mountain']],
  ['mountain', ['mountain', 'landscape']],
  ['palace', ['building']],
  ['pasture', ['grass']],
  ['religious building', ['church', 'building']],
  ['tower', ['tower', 'building']],
  ['train', []],
  ['vegetable', ['vegetable', 'food']],
  ['vehicle', []],
])

/** What is always true as well where the first word is. */
export const impliedTags: ReadonlyMap<string, string[]> = new Map([
  ['baseball', ['sport']],
  ['basketball', ['sport']],
  ['bathroom', ['indoor']],
  ['beach', ['coast']],
  ['bedroom', ['indoor']],
  ['bread', ['food']],
  ['cake', ['dessert']],
  ['castle', ['building']],
  ['church', ['building']],
  ['climbing', ['sport']],
  ['coast', ['water']],
  ['dessert', ['food']],
  ['field', ['nature']],
  ['flower', ['plant']],
  ['forest', ['tree']],
  ['fruit', ['food']],
  ['garden', ['plant']],
  ['grass', ['nature']],
  ['hill', ['landscape']],
  ['house', ['building']],
  ['kitchen', ['indoor']],
  ['lake', ['water']],
  ['living room', ['indoor']],
  ['mountain', ['landscape']],
  ['landscape', ['nature']],
  ['office', ['indoor']],
  ['palace', ['building']],
  ['pasture', ['grass']],
  ['plant', ['nature']],
  ['pool', ['water']],
  ['river', ['water']],
  ['sea', ['water']],
  ['skateboarding', ['sport']],
  ['skiing', ['snow', 'sport']],
  ['skyscraper', ['building', 'city']],
  ['snow', ['winter']],
  ['soccer', ['sport']],
  ['street', ['road']],
  ['sunset', ['sky']],
  ['surfing', ['sea', 'sport']],
  ['tennis', ['sport']],
  ['tree', ['nature']],
  ['vegetable', ['food']],
  ['wave', ['water']],
])

/** What is seldom what a picture is about, although it is there. */
export const backgroundTags = listOf(`
  building, cloud, coast, desk, dining table, furniture, grass, hill, indoor, mirror, nature, pasture, plant, road,
  rock, sand, screen, sky, tree, water`)

/** Of two words for one thing, the one that the library uses. */
export const preferredWords: ReadonlyMap<string, string> = new Map([
  ['aircraft', 'airplane'],
  ['cattle', 'cow'],
  ['couch', 'sofa'],
  ['donut', 'doughnut'],
  ['phone', 'cell phone'],
  ['potted plant', 'plant'],
  ['religious building', 'church'],
  ['television', 'tv'],
])

/** Heads for what people do; they need a person in the picture. */
export const sportsOfPeople = listOf('climbing, party, sport, skateboarding, skiing, surfing')

/** Heads for kinds of pictures that are no photographs. */
export const graphicKinds = listOf('diagram, drawing, logo, map, screenshot')

/** Heads for where something is; a thing that was cut out stands nowhere. */
export const settings = listOf(`
  airport, bathroom, beach, bedroom, building, church, city, cloud, field, forest, garden, grass, harbour, hill, house,
  indoor, kitchen, lake, landscape, living room, market, mountain, night, office, park, pasture, playground, pool,
  railway, restaurant, river, road, rock, sand, sea, shop, sky, skyscraper, snow, space, stadium, street, sunset, tower,
  tree, water, wave`)
