import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#platform/errors.ts'
import { forbiddenHosts } from '#tests/support/forbidden-hosts.ts'
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
