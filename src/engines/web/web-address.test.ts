import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#platform/errors.ts'
import { createAddressRules } from './web-address.ts'

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

test('loopback is refused in every way it can be written', () => {
  const forms = [
    '127.0.0.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '017700000001',
    '0177.0.0.1',
    '127.1',
    '127.0.1',
    '0',
    '0.0.0.0',
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ]
  for (const host of forms) refusal(`http://${host}/`, 'unreachable')
})

test('addresses inside a network are refused', () => {
  const hosts = [
    '10.0.0.1',
    '192.168.1.9',
    '172.16.5.4',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '100.64.0.1',
    '224.0.0.1',
  ]
  const modern = [
    '[fd00::5]:443',
    '[fe80::1]',
    '[fec0::1]',
    '[5f00::1]',
    '[3fff::1]',
    '[ff02::1]',
    '[64:ff9b::a9fe:a9fe]',
  ]
  for (const host of [...hosts, ...modern, '168.63.129.16']) refusal(`http://${host}/`, 'unreachable')
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
