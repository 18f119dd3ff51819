/** Which of the networks' words are worth a person's while. Found by looking at what was wrong on 119 photographs. */

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
  frisbee, hair drier, kite, refrigerator, remote, scissors, toilet, toothbrush`)

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
