/**
 * Spellings of addresses that are not public, as hosts of URLs: all notations of IPv4, and IPv6 that embeds IPv4. Code that
 * fetches an address given by a user must refuse each of them.
 */
export const forbiddenHosts = [
  // Loopback, in notations that browsers accept: short, decimal, octal, hexadecimal, mixed, with a trailing dot.
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.255.255.254', '2130706433', '2130706433.'],
  ...['0177.0.0.1', '0177.1', '017700000001', '0x7f000001', '0X7F000001', '0x7f.0.0.1', '0x7f.1', '0x7f.0.0.0x1'],
  ...['127.0x0.0.1', '127.00.00.01', '0x7f.0177.0.1', '０x7f.1'],
  // Loopback in full-width characters, and percent-encoded.
  ...[
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127．0．0．1',
    '127｡0｡0｡1',
    '%31%32%37.0.0.1',
    '127%2e0%2e0%2e1',
  ],
  // This host.
  ...['0', '0.0.0.0', '0x0', '00.0', '0.1.2.3', '[::]', '[0:0:0:0:0:0:0:0]', '[::0.0.0.0]'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0001]', '[::0.0.0.1]'],
  // Private networks.
  ...['10.0.0.1', '10.1', '012.0.0.1', '167772161', '0xa000001', '172.16.0.1', '172.31.255.255', '0xac100001'],
  ...['192.168.1.1', '192.168.257', '3232235777', '0xc0a80101', '0300.0250.1.1', '100.64.0.1', '100.127.255.255'],
  ...['[fc00::1]', '[fd12:3456::1]', '[fec0::1]', '[fe80::1]'],
  // Metadata services of clouds.
  ...['169.254.169.254', '169.254.43518', '2852039166', '0xa9fea9fe', '0xa9.0xfe.0xa9.0xfe', '0251.0376.0251.0376'],
  ...['168.63.129.16', '0xa83f8110', '100.100.100.200', '[fd00:ec2::254]'],
  // IPv4 within IPv6: mapped, translated, compatible, NAT64, 6to4, Teredo.
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:0001]', '[0:0:0:0:0:ffff:7f00:1]', '[::ffff:0.0.0.0]'],
  ...['[::ffff:10.0.0.1]', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[::ffff:168.63.129.16]'],
  ...['[::ffff:0:7f00:1]', '[::127.0.0.1]', '[::7f00:1]', '[::a00:1]', '[64:ff9b::7f00:1]', '[64:ff9b::127.0.0.1]'],
  ...[
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2002:a00:1::1]',
    '[2001::1]',
    '[2001:0:7f00:1::1]',
  ],
  // Multicast, broadcast, and ranges reserved for documentation, benchmarks or future use.
  ...['224.0.0.1', '239.255.255.255', '255.255.255.255', '4294967295', '0xffffffff', '240.0.0.1', '192.0.0.1'],
  ...['192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
  ...['[ff02::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[100::1]', '[4000::1]'],
]

/** Names that resolve to loopback on every system. */
export const localNames = ['localhost', 'LOCALHOST', 'localhost.', 'ｌｏｃａｌｈｏｓｔ']
