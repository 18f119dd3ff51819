import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPictureAddress } from './picture-address.ts'

const read = (address: string) => readPictureAddress(new URL(address))
const original = 'https://site.example/a/cat.jpg'

/** Addresses of one picture in other sizes, the width each of them tells, and a plain address of it. */
const families: Record<string, { plain: string; sizes: Record<string, number | undefined> }> = {
  WordPress: {
    plain: original,
    sizes: {
      'https://site.example/a/cat-300x200.jpg': 300,
      'https://site.example/a/cat-scaled.jpg': 2560,
      'https://i0.wp.com/site.example/a/cat.jpg?resize=640%2C480&ssl=1': 640,
      'https://i2.wp.com/site.example/a/cat-300x200.jpg?w=150': 150,
    },
  },
  'an image service': {
    plain: original,
    sizes: {
      'https://site.example/a/cat.jpg?w=400&h=300&fit=crop&q=70': 400,
      'https://site.example/a/cat.jpg?width=800&format=webp': 800,
      'https://site.example/a/cat.jpg?format=500w': 500,
      'http://site.example/a/cat.jpg?auto=compress&dpr=2': undefined,
      'https://site.example/cdn-cgi/image/width=400,quality=75/a/cat.jpg': 400,
      'https://site.example/cdn-cgi/image/fit=cover/https://site.example/a/cat.jpg': undefined,
      'https://site.example/_ipx/w_640/a/cat.jpg': 640,
      'https://wsrv.nl/?url=site.example/a/cat.jpg&w=300': 300,
    },
  },
  'Next.js': {
    plain: original,
    sizes: {
      'https://site.example/_next/image?url=%2Fa%2Fcat.jpg&w=640&q=75': 640,
      'https://other.example/_next/image?url=https%3A%2F%2Fsite.example%2Fa%2Fcat.jpg&w=1080&q=75': 1080,
      'https://site.example/_next/image?url=%2Fa%2Fcat-300x200.jpg&w=64&q=1': 64,
    },
  },
  Shopify: {
    plain: 'https://cdn.shopify.com/s/files/1/p/cat.jpg?v=5',
    sizes: {
      'https://cdn.shopify.com/s/files/1/p/cat_200x.jpg?v=5': 200,
      'https://cdn.shopify.com/s/files/1/p/cat_x300.jpg?v=5': undefined,
      'https://cdn.shopify.com/s/files/1/p/cat_200x300_crop_center@2x.progressive.jpg?v=5': 200,
      'https://cdn.shopify.com/s/files/1/p/cat_grande.jpg?v=5': undefined,
      'https://cdn.shopify.com/s/files/1/p/cat.jpg?v=5&width=800': 800,
    },
  },
  Wikimedia: {
    plain: 'https://upload.wikimedia.org/wikipedia/commons/a/ab/Cat.jpg',
    sizes: {
      'https://upload.wikimedia.org/wikipedia/commons/thumb/a/ab/Cat.jpg/320px-Cat.jpg': 320,
      'https://upload.wikimedia.org/wikipedia/commons/thumb/a/ab/Cat.jpg/lossy-page1-800px-Cat.jpg': 800,
    },
  },
  Wix: {
    plain: 'https://static.wixstatic.com/media/1f_2~mv2.jpg',
    sizes: { 'https://static.wixstatic.com/media/1f_2~mv2.jpg/v1/fill/w_300,h_200,al_c/cat.jpg': 300 },
  },
  Cloudinary: {
    plain: 'https://res.cloudinary.com/demo/image/upload/v12/cat.jpg',
    sizes: {
      'https://res.cloudinary.com/demo/image/upload/w_300,h_200,c_fill/f_auto/v12/cat.jpg': 300,
      'https://res.cloudinary.com/demo/image/upload/s--Ab-cD_1--/c_scale,w_200/v12/cat.jpg': 200,
    },
  },
  Ghost: {
    plain: 'https://blog.example/content/images/2024/cat.jpg',
    sizes: {
      'https://blog.example/content/images/size/w600/2024/cat.jpg': 600,
      'https://blog.example/content/images/size/w1000/format/webp/2024/cat.jpg': 1000,
    },
  },
  Drupal: {
    plain: 'https://gov.example/sites/default/files/2024/cat.jpg',
    sizes: { 'https://gov.example/sites/default/files/styles/large/public/2024/cat.jpg?itok=x1': undefined },
  },
  Google: {
    plain: 'https://lh3.googleusercontent.com/abcDEF',
    sizes: {
      'https://lh3.googleusercontent.com/abcDEF=w400-h300-no': 400,
      'https://lh3.googleusercontent.com/abcDEF=s1600': 1600,
    },
  },
  Medium: {
    plain: 'https://miro.medium.com/1*abc.jpeg',
    sizes: { 'https://miro.medium.com/v2/resize:fit:1400/format:webp/1*abc.jpeg': 1400 },
  },
}

for (const [site, { plain, sizes }] of Object.entries(families)) {
  test(`${site}: every size of a picture is known as the same picture`, () => {
    for (const [address, width] of Object.entries(sizes)) {
      const seen = read(address)
      assert.equal(seen.key, read(plain).key, address)
      assert.equal(seen.width, width, address)
      assert.ok(seen.isReduced || width === undefined, address)
    }
    assert.equal(read(plain).isReduced, false)
  })
}

test('a file whose name tells its size is as small as it is asked for', () => {
  const { width, height } = read('https://cdn.sanity.io/images/p/d/abc-2000x3000.jpg?w=400')
  assert.deepEqual([width, height], [400, undefined])
  const [whole, part] = ['2000x3000.jpg', '2000x3000.jpg?h=300'].map((end) =>
    read(`https://cdn.sanity.io/i/abc-${end}`),
  )
  assert.deepEqual([whole?.width, whole?.height, part?.width, part?.height], [2000, 3000, undefined, 300])
})

test('the original is named where the site keeps one, and nowhere else', () => {
  const known = {
    'https://site.example/_next/image?url=%2Fa%2Fcat.jpg&w=640&q=75': original,
    'https://cdn.shopify.com/s/files/1/p/cat_200x.jpg?v=5': 'https://cdn.shopify.com/s/files/1/p/cat.jpg?v=5',
    'https://upload.wikimedia.org/wikipedia/commons/thumb/a/ab/Cat.jpg/320px-Cat.jpg':
      'https://upload.wikimedia.org/wikipedia/commons/a/ab/Cat.jpg',
    'https://site.example/a/cat-300x200.jpg': undefined,
    'https://site.example/a/cat.jpg?w=400': undefined,
    'https://cdn.shopify.com/s/files/1/p/cat.jpg?v=5': undefined,
    'https://upload.wikimedia.org/wikipedia/commons/thumb/e/ef/Lens.svg/120px-Lens.svg.png': undefined,
  }
  for (const [address, expected] of Object.entries(known)) assert.equal(read(address).original, expected, address)
})

test('different pictures stay different', () => {
  const different = [
    original,
    'https://site.example/b/cat.jpg',
    'https://site.example/a/cat-2.jpg',
    'https://site.example/a/cat.png',
    'https://site.example/image?id=1&w=300',
    'https://site.example/image?id=2&w=300',
    'https://site.example/a/cat.jpg?v=2',
    'https://encrypted-tbn0.gstatic.com/images?q=tbn:ANd9GcRa',
    'https://encrypted-tbn0.gstatic.com/images?q=tbn:ANd9GcRb',
    'https://site.example/thumb.php?im=cat.jpg&w=200',
    'https://site.example/thumb.php?im=dog.jpg&w=200',
    'https://res.cloudinary.com/demo/image/upload/f_auto,w_300/img_1',
    'https://res.cloudinary.com/demo/image/upload/f_auto,w_300/img_2',
    'https://res.cloudinary.com/demo/image/upload/v1/a_room/table',
    'https://res.cloudinary.com/demo/image/upload/v1/b_room/table',
    'https://cdn.shopify.com/s/files/1/p/box_x.jpg',
    'https://cdn.shopify.com/s/files/1/p/box.jpg',
  ]
  assert.equal(new Set(different.map((address) => read(address).key)).size, different.length)
})

test('the file name is readable and carries no size', () => {
  const names = {
    'https://site.example/a/K%C3%B6nig-300x200.jpg': 'König.jpg',
    'https://site.example/a/100%.jpg': '100%.jpg',
    'https://site.example/_next/image?url=%2Fa%2Fcat.jpg&w=640': 'cat.jpg',
    'https://upload.wikimedia.org/wikipedia/commons/thumb/e/ef/Lens.svg/120px-Lens.svg.png': '120px-Lens.svg.png',
    'https://site.example/photo/17': '17',
  }
  for (const [address, name] of Object.entries(names)) assert.equal(read(address).fileName, name)
})

test('an address that wraps itself again and again is unwrapped only so far', () => {
  let address = original
  for (let layer = 0; layer < 20; layer++)
    address = `https://site.example/_next/image?url=${encodeURIComponent(address).slice(0, 2000)}&w=1`
  assert.ok(read(address).key)
})
