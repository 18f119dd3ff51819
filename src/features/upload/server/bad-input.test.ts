import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pngChunk, writePngBomb } from '#engines/images/pictures.fixture.ts'
import { createClipMaker } from '#engines/video/testing/clips.ts'
import { AppError } from '#platform/errors.ts'
import { makeAnimation, makeJpeg, makePng } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { storedIn } from '#tests/support/storages.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

onOneDatabase('every kind of bad file is refused with a reason and leaves nothing behind', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const jpeg = await makeJpeg({ width: 400, height: 300 })
  const gif = await makeAnimation('gif')
  const bad: [name: string, bytes: Uint8Array, status: number, message: RegExp][] = [
    ['empty.jpg', Buffer.alloc(0), 415, /empty/],
    ['one-byte.jpg', Buffer.from([0xff]), 415, /^Unsupported file type/],
    ['truncated.jpg', jpeg.subarray(0, jpeg.length / 2), 415, /damaged or incomplete/],
    ['header-only.jpg', jpeg.subarray(0, 30), 415, /damaged|^Unsupported/],
    ['truncated.gif', gif.subarray(0, 40), 415, /damaged/],
    [
      'drawing.png',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
      415,
      /^Unsupported file type/,
    ],
    ['page.png', Buffer.from('<!doctype html><script>alert(1)</script>'), 415, /^Unsupported file type/],
    ['program.jpg', Buffer.from(`MZ${'\0'.repeat(200)}`, 'latin1'), 415, /^Unsupported file type/],
    ['song.mp4', Buffer.from('ID3\x03\0\0\0\0\0\x0f', 'latin1'), 415, /^Unsupported file type/],
    ['playlist.mp4', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'), 415, /^Unsupported file type/],
    ['bomb.png', writePngBomb(16_000, 16_000), 413, /100 megapixels/],
    ['ftyp.mp4', Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'), 415, /damaged/],
  ]
  for (const [name, bytes, status, message] of bad) {
    const answer = await ann.upload([{ name, bytes, mimeType: 'image/jpeg' }])
    assert.equal(answer.statusCode, status, `${name}: ${answer.body}`)
    assert.match(answer.json().message, message, name)
  }
  assert.deepEqual(await storedIn(product), { temporary: [], blobs: [] })
  assert.equal((await ann.get('/api/user/storage')).json().usedBytes, 0)
  assert.equal((await ann.upload([{ name: 'good.jpg', bytes: jpeg }])).statusCode, 201, 'and the process lives')
})

/** The system ends the decoder of an upload: that says nothing of the file, which is taken when it is sent again. */
async function refuseOnce(context: TestContext, end: (child: ChildProcess) => void): Promise<string> {
  const clips = createClipMaker(await temporaryFolder(context))
  context.after(clips.close)
  const film = { name: 'film.mp4', bytes: await readFile(await clips.make()) }
  const { register } = await testApp(context)
  const ann = await register()
  const onStart = (message: unknown) => end((message as { process: ChildProcess }).process)
  subscribe('child_process', onStart)
  const refused = await ann.upload([film])
  unsubscribe('child_process', onStart)
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '30'])
  assert.equal((await ann.upload([film])).statusCode, 201)
  return refused.json().message
}

onOneDatabase('a decoder that could not be started is no fault of the file', async (context) => {
  // Like a system without free threads: the program ends before it has loaded.
  const message = await refuseOnce(context, (child) => process.nextTick(() => child.kill('SIGKILL')))
  assert.match(message, /^The server could not start a process for this\. Please try again/)
})

onOneDatabase('nor is one that the system has ended at its work', async (context) => {
  const message = await refuseOnce(context, (child) => child.once('message', () => child.kill('SIGKILL')))
  assert.match(message, /memory ran out\. Please try again/)
})

onOneDatabase('the bytes decide what a file is, not its name or the header', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const png = await makePng()
  const headBytes = 33
  const animated = [png.subarray(0, headBytes), pngChunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]))]
  const answer = await ann.upload([
    { name: 'really-a-jpeg.png', bytes: await makeJpeg(), mimeType: 'image/png' },
    { name: 'photo.exe', bytes: await makeJpeg(), mimeType: 'application/x-msdownload' },
    { name: 'page.html', bytes: await makePng(), mimeType: 'text/html' },
    { name: 'no extension', bytes: png },
    { name: 'animated.png', bytes: Buffer.concat([...animated, png.subarray(headBytes)]) },
  ])
  assert.deepEqual(
    answer.json().media.map((media: { filename: string; mimeType: string }) => [media.filename, media.mimeType]),
    [
      ['really-a-jpeg.png', 'image/jpeg'],
      ['photo.exe.jpg', 'image/jpeg'],
      ['page.html.png', 'image/png'],
      ['no extension.png', 'image/png'],
      ['animated.png', 'image/png'],
    ],
  )
  for (const media of answer.json().media) {
    const file = await ann.get(media.originalUrl)
    assert.equal(file.headers['content-type'], media.mimeType)
    assert.equal(file.headers['x-content-type-options'], 'nosniff')
  }
})

test('an unsafe filename is made safe and its item has working URLs', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const wanted: [given: string, shown: string | RegExp][] = [
    ['../../../etc/passwd.jpg', 'passwd.jpg'],
    ['..\\..\\windows\\system.jpg', 'system.jpg'],
    ['/absolute/path.jpg', 'path.jpg'],
    ['..', 'file.jpg'],
    ['a\u0007\u001bb.jpg', 'ab.jpg'],
    ['photo\u202egpj.exe', 'photogpj.exe.jpg'],
    [`${'n'.repeat(300)}.jpg`, /^n{196}\.jpg$/],
    ['🏖️ été 海 👨‍👩‍👧.jpg', '🏖️ été 海 👨‍👩‍👧.jpg'],
    ['<img src=x onerror=alert(1)>.jpg', '_img src=x onerror=alert(1)_.jpg'],
    ['~thumbnail.webp', '~thumbnail.webp'],
    ['100% #1 a?b&c;d.jpg', '100% #1 a_b&c;d.jpg'],
    ['CON.jpg', 'CON_.jpg'],
    ['the "best" one.jpg', 'the _best_ one.jpg'],
    ['two\r\nlines.jpg', 'two lines.jpg'],
  ]
  for (const [given, shown] of wanted) {
    const bytes = await makeJpeg()
    const answer = await ann.upload([{ name: given, bytes }])
    assert.equal(answer.statusCode, 201, `${given}: ${answer.body}`)
    const [media] = answer.json().media
    if (typeof shown === 'string') assert.equal(media.filename, shown)
    else assert.match(media.filename, shown)
    const file = await ann.get(media.originalUrl)
    assert.equal(file.statusCode, 200, media.originalUrl)
    assert.deepEqual(file.rawPayload, bytes, 'the original, not a derived file of the same name')
    assert.doesNotMatch(String(file.headers['content-disposition']), /[\r\n]/)
  }
  const parent = await readdir(join(product.directory, '..'))
  assert.ok(!parent.some((name) => /passwd|system\.jpg|path\.jpg/.test(name)))
  assert.deepEqual(
    (await readdir(product.directory, { recursive: true })).filter((path) => /passwd|CON|thumbnail\.jpg|🏖️/.test(path)),
    [],
    'no name ever became a path',
  )
})

/** As a browser writes it. */
async function send(user: TestUser, form: FormData) {
  const written = new Response(form)
  const headers = { 'content-type': written.headers.get('content-type')! }
  const payload = Buffer.from(await written.arrayBuffer())
  return user.send({ method: 'POST', url: '/api/upload', headers, payload })
}

onOneDatabase("a name that is told before a file is taken to the letter, and is that file's alone", async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const form = new FormData()
  form.append('enableAi', 'false')
  form.append('filename', 'mark %22.jpg')
  for (const name of ['mark %22.jpg', 'the "best".jpg']) form.append('files', new File([await makeJpeg()], name))
  const answer = await send(ann, form)
  const names = answer.json().media.map(({ filename }: { filename: string }) => filename)
  assert.deepEqual(names, ['mark %22.jpg', 'the _best_.jpg'])
})

onOneDatabase('each of many files may have its name told before it', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const picture = await makeJpeg()
  const form = new FormData()
  const told = Array.from({ length: 25 }, (_, index) => `mark %22 ${index}.jpg`)
  for (const name of told) {
    form.append('filename', name)
    form.append('files', new File([picture], 'any.jpg'))
  }
  form.append('enableAi', 'false')
  const answer = await send(ann, form)
  assert.equal(answer.statusCode, 201, answer.body)
  const names = answer.json().media.map(({ filename }: { filename: string }) => filename)
  assert.deepEqual(names, told)
})

onOneDatabase('a decoder that fails unexpectedly ends one request, not the process', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { process } = product.services.images
  let calls = 0
  context.mock.method(product.services.images, 'process', (input: Parameters<typeof process>[0]) =>
    calls++ === 0 ? Promise.reject(new Error('out of luck')) : process(input),
  )
  const files = await Promise.all([1, 2, 3].map(async (n) => ({ name: `${n}.jpg`, bytes: await makeJpeg() })))
  const answer = await ann.upload(files)
  assert.equal(answer.statusCode, 500)
  assert.doesNotMatch(answer.body, /out of luck/)
  assert.deepEqual(await storedIn(product), { temporary: [], blobs: [] })
  assert.equal((await ann.upload(files)).statusCode, 201)
})

onOneDatabase('a decoder that dies of a file costs that file only', async (context) => {
  const { services, register } = await testApp(context)
  const ann = await register()
  const { process } = services.images
  const ends = [
    new AppError('worker-died', 500, 'The worker process ended (SIGSEGV)'),
    new AppError('timeout', 500, 'The task took longer than 30 seconds'),
  ]
  context.mock.method(services.images, 'process', (input: Parameters<typeof process>[0]) => {
    const end = ends.shift()
    return end ? Promise.reject(end) : process(input)
  })
  const names = ['killer.jpg', 'endless.jpg', 'good.jpg']
  const answer = await ann.upload(await Promise.all(names.map(async (name) => ({ name, bytes: await makeJpeg() }))))
  assert.equal(answer.statusCode, 201)
  const message = 'This file is damaged and could not be read.'
  assert.deepEqual(
    answer.json().rejected.map((refused: { message: string }) => refused.message),
    [message, message],
  )
})
