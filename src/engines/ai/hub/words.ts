import coco from '../local/labels/coco.json' with { type: 'json' }
import heads from '../local/labels/heads.json' with { type: 'json' }

const others = `
  baby, child, woman, man, family, wedding, birthday party, dancing, hug, smile, hands, crowd, concert, sport, football,
  tennis, basketball, skiing, surfing, swimming, cycling, running, climbing, hiking, camping, fishing, sailing,
  kitten, puppy, rabbit, hamster, mouse, squirrel, fox, deer, wolf, lion, tiger, monkey, kangaroo, pig, goat, duck,
  chicken, eagle, owl, parrot, penguin, swan, fish, shark, whale, dolphin, jellyfish, crab, frog, turtle, lizard, snake,
  insect, bee, butterfly, spider, snail, dinosaur,
  rose, tulip, sunflower, dandelion, cactus, mushroom, autumn leaves, palm tree, bamboo, fruit, vegetable, strawberry,
  lemon, tomato, bread, cheese, soup, salad, pasta, sushi, hamburger, ice cream, chocolate, coffee, tea, beer, wine,
  cocktail, breakfast,
  house, apartment building, skyscraper, castle, church, mosque, temple, tower, lighthouse, bridge, tunnel, stairs, door,
  window, wall, fence, garden, park, playground, fountain, statue, ruins, factory, warehouse, office, shop, market,
  restaurant, bar, hotel, hospital, school, library, museum, theater, stadium, gym, swimming pool, airport, train station,
  harbor, gas station, farm, barn, windmill, construction site,
  living room, bedroom, kitchen, bathroom, garage, hallway, attic, balcony, fireplace,
  desert, cave, canyon, cliff, waterfall, lake, river, island, volcano, glacier, valley, hill, meadow, jungle, coast,
  rainbow, lightning, fog, rain, snow, ice, fire, smoke, stars, moon, sun, planet, galaxy, astronaut, rocket, satellite,
  fireworks, candle, lamp, neon sign,
  helicopter, hot air balloon, drone, tractor, tram, scooter, ambulance, police car, fire engine, sailboat, ship, canoe,
  computer, camera, television, headphones, microphone, guitar, piano, violin, drum, robot, tool, engine, circuit board,
  glasses, watch, jewelry, hat, shoes, dress, suit, uniform, mask, tattoo, toy, doll, puzzle, board game, playing cards,
  coin, money, newspaper, magazine, letter, receipt, business card, menu, map, diagram, chart, table of numbers, handwriting,
  screenshot, logo, poster, advertisement, comic, cartoon, drawing, sketch, painting, sculpture, graffiti, pattern,
  fabric, flag, medal, gift, Christmas tree, Halloween pumpkin, snowman`

/** What SigLIP is asked about each picture. Adding a word needs no training. */
export const words: readonly string[] = [
  ...new Set([
    ...coco.filter((word) => word !== null),
    ...heads.concepts.map(({ name }) => name),
    ...others.split(',').map((word) => word.trim().replace(/\s+/g, ' ')),
  ]),
]
