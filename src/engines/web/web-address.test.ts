import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#platform/errors.ts'
import { forbiddenHosts } from '#tests/support/forbidden-hosts.ts'
import { createAddressRules, isPublicAddress } from './web-address.ts'

const rules = createAddressRules({ allowHosts: ['nas.home:8080', '[fd00::5]:80', '192.168.1.9:443'], ports: [80, 443] })

const refusal = (address: string, code: string) =>
  assert.throws(
    () => rules.check(address),
    (error) => error instanceof AppError && error.code === code,
    address,
  )

test('an ordinary address is accepted, without its fragment', () => {
  assert.equal(rules.check(' https://Example.com:443/a?b=c#d ').href, 'https://example.com/a?b=c')
  assert.equal(rules.check('//other.example/x', new URL('http://example.com/')).href, 'http://other.example/x')
})

test('only http and https are accepted', () => {
  const others = [
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/html,hi',
    'javascript:alert(1)',
    'gopher://a/',
    'blob:https://a/b',
  ]
  for (const address of [
    ...others,
    'example.com',
    '',
    'http://',
    'http://exa mple.com/',
    `http://a.example/${'x'.repeat(9000)}`,
  ]) {
    refusal(address, 'invalid')
  }
})

test('a user name or a password in an address is refused', () => {
  for (const address of ['http://user@example.com/', 'http://user:secret@example.com/', 'http://:x@example.com/']) {
    refusal(address, 'invalid')
  }
})

test('ports other than 80 and 443 are refused', () => {
  for (const address of ['http://example.com:22/', 'https://example.com:8443/', 'http://example.com:6379/']) {
    refusal(address, 'invalid')
  }
  assert.equal(rules.check('https://example.com:80/').port, '80')
})

test('an address that is not public is refused in every way it can be written', () => {
  for (const host of forbiddenHosts) refusal(`http://${host}/`, 'unreachable')
  refusal('http://[fd00::5]:443/', 'unreachable')
})

test('a pair that was allowed may be private, on that port only', () => {
  assert.equal(rules.check('http://nas.home:8080/photos').hostname, 'nas.home')
  assert.equal(rules.check('http://[fd00::5]/').hostname, '[fd00::5]')
  assert.equal(rules.check('https://192.168.1.9/').hostname, '192.168.1.9')
  refusal('http://nas.home:8081/', 'invalid')
  refusal('http://192.168.1.9/', 'unreachable')
})

test('an allow-list entry without a port is a mistake that is named', () => {
  for (const entry of ['nas.home', 'http://nas.home:80', 'a/b:80', ':80', 'nas.home:port']) {
    assert.throws(() => createAddressRules({ allowHosts: [entry], ports: [] }), /Expected host:port/, entry)
  }
})

const insideTheNetwork = {
  'this host': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '[::1]'],
  'a private network': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  'a link': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'a cloud metadata service': ['169.254.169.254', '168.63.129.16', 'fd00:ec2::254', '100.100.100.200'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'reserved numbers': ['192.0.0.1', '192.88.99.1', '240.0.0.1', '254.1.1.1', '5f00::1', '100::1', '4000::1', '9000::1'],
  'IPv4 mapped into IPv6': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0:0'],
  'the mapped Azure wire server': ['::ffff:168.63.129.16', '::ffff:a83f:8110'],
  'IPv4-compatible IPv6': ['::7f00:1', '::127.0.0.1', '::808:808'],
  'translated IPv4': ['::ffff:0:7f00:1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::808:808', '64:ff9b:1::1'],
  '6to4': ['2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
  Teredo: ['2001::1', '2001:0:7f00:1::1'],
  ORCHID: ['2001:10::1', '2001:20::1'],
}

for (const [kind, addresses] of Object.entries(insideTheNetwork)) {
  test(`an address of ${kind} is not public`, () => {
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address)
  })
}

test('an ordinary internet address is public', () => {
  for (const address of ['8.8.8.8', '93.184.215.14', '1.1.1.1', '172.32.0.1', '100.128.0.1', '::ffff:8.8.8.8']) {
    assert.equal(isPublicAddress(address), true, address)
  }
  for (const address of ['2606:4700:4700::1111', '[2a00:1450:4001:80b::200e]', '2620:0:2d0:200::8']) {
    assert.equal(isPublicAddress(address), true, address)
  }
})

test('a text that is no address in its usual form is not public', () => {
  for (const text of [
    '',
    'example.com',
    '8.8.8',
    '0x08.8.8.8',
    '134744072',
    '010.8.8.8',
    ' 8.8.8.8',
    '8.8.8.8.',
    '[8.8.8.8',
  ]) {
    assert.equal(isPublicAddress(text), false, text)
  }
})
