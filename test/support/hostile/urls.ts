/** URLs with which an attacker may try to reach this machine or its private network. */
export const HOSTILE_URLS: readonly string[] = [
  // Names of this machine.
  ..."127.0.0.1 127.0.0.2 127.1 127.0.1 127.255.255.254 0 0.0.0.0 0.0.0.1 2130706433 0x7f000001 0x7f.1 0x7f.0.0.1".split(
    " ",
  ),
  ..."017700000001 0177.0.0.1 0177.1 00000177.0.0.01 127.0.0.01 0x7f.0x0.0x0.0x1 0X7F.0.0.1 127.0.0.1. 127.0.0.0x1".split(
    " ",
  ),
  ..."localhost LOCALHOST localhost. lOcAlHoSt. a.localhost ip6-localhost localhost.localdomain loopback broadcasthost".split(
    " ",
  ),
  ..."[::1] [::] [0:0:0:0:0:0:0:1] [0000::1] [::0001] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:127.0.0.1]".split(
    " ",
  ),
  ..."[0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1] [::ffff:0.0.0.0]".split(
    " ",
  ),
  ..."[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:0001::1] [2001:0:7f00:1::]".split(
    " ",
  ),
  // The private network.
  ..."10.0.0.1 10.1 10.255.255.255 167772161 0xa000001 012.0.0.1 0xa.0.0.1 10.0.0.1. 172.16.0.1 172.31.255.255".split(
    " ",
  ),
  ..."2886729729 0xac100001 0254.020.0.1 192.168.0.1 192.168.1 3232235521 0xc0a80001 0300.0250.0.1 192.168.255.255".split(
    " ",
  ),
  ..."169.254.0.1 169.254.255.255 100.64.0.1 100.127.255.254 [fe80::1] [fe80::1%25eth0] [febf::1] [fc00::1] [fd00::1]".split(
    " ",
  ),
  ..."[fdff:ffff::1] [fec0::1] [::ffff:10.0.0.1] [::ffff:a00:1] [::ffff:192.168.0.1] [::ffff:172.16.0.1]".split(
    " ",
  ),
  ..."[64:ff9b::10.0.0.1] [64:ff9b::c0a8:1] [2002:a00:1::] [2002:c0a8:1::1] [2002:ac10:1::1]".split(
    " ",
  ),
  // Cloud metadata services.
  ..."169.254.169.254 2852039166 0xa9fea9fe 0xa9.0xfe.0xa9.0xfe 0251.0376.0251.0376 169.16689662 169.254.43518".split(
    " ",
  ),
  ..."025177524776 169.254.169.254. 169.254.170.2 100.100.100.200 168.63.129.16 0xa83f8110 192.0.0.192".split(
    " ",
  ),
  ..."[fd00:ec2::254] [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::]".split(
    " ",
  ),
  ..."metadata metadata.google.internal metadata.google.internal. METADATA.GOOGLE.INTERNAL instance-data.ec2.internal".split(
    " ",
  ),
  // Reserved and multicast addresses.
  ..."192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 198.19.255.255 192.88.99.1 192.31.196.1 192.52.193.1 192.175.48.1".split(
    " ",
  ),
  ..."224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 4294967295 0xffffffff 0.255.255.255 192.0.0.8 192.0.0.170".split(
    " ",
  ),
  ..."[ff02::1] [ff05::2] [100::1] [2001:db8::1] [2001:2::1] [2001:10::1] [2001:20::1] [3fff::1] [5f00::1] [4000::1]".split(
    " ",
  ),
  ..."[::ffff:224.0.0.1] [::ffff:255.255.255.255] [2002:e000:1::1] [2001::1] [::2] [1::1]".split(
    " ",
  ),
  // Names of a private network.
  ..."router printer.local nas.lan box.home gateway.home.arpa db.internal a.b.internal x.local. wpad intranet".split(
    " ",
  ),
  ..."1.0.0.127.in-addr.arpa 1.ip6.arpa kubernetes.default.svc.cluster.local host.docker.internal".split(
    " ",
  ),
  // Unicode digits, dots and full-width characters.
  ..."①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1 127｡0｡0｡1 １２７.0.0.1 ⑯⑨。②⑤④。⑯⑨｡②⑤④ 𝟏𝟐𝟕.𝟎.𝟎.𝟏 ₁₂₇.₀.₀.₁".split(
    " ",
  ),
  ..."ⓛⓞⓒⓐⓛⓗⓞⓢⓣ ｌｏｃａｌｈｏｓｔ loc\u00ADalhost local\u200Bhost %6c%6fcalhost %31%32%37.0.0.1 127%2e0%2e0%2e1 0x7f%2e1".split(
    " ",
  ),
  ..."127.0.0.1%00.example.com 127.0.0.1%0a 127\t.0.0.1 metadata%2egoogle%2einternal ⓜetadata.google.ⓘnternal".split(
    " ",
  ),
  // Invalid addresses, at least for some parsers.
  ..."256.0.0.1 1.2.3.4.5 1e100 0x 08.0.0.1 127.0.0.1:99999 [::1 ::1 [::1]] [127.0.0.1] [fe80::1%eth0] a..b.c -".split(
    " ",
  ),
]
  .map((host) => `https://${host}/hook`)
  .concat(
    // URLs whose host is not what it seems to be.
    "https://example.com@127.0.0.1/",
    "https://example.com:443@127.0.0.1/",
    "https://127.0.0.1@example.com/",
    "https://user:secret@example.com/",
    "https://@127.0.0.1/",
    "https://example.com%40127.0.0.1/",
    "https://127.0.0.1\\@example.com/",
    "https://127.0.0.1#@example.com/",
    "https://127.0.0.1?@example.com/",
    "https://127.0.0.1;.example.com/",
    "https://127.0.0.1:443/",
    "https://127.0.0.1:80\\@example.com:443/",
    "https:127.0.0.1",
    "https:/127.0.0.1/",
    "https:///127.0.0.1/",
    "https:\\\\127.0.0.1\\",
    "\thttps://127.0.0.1/",
    "ht\ntps://127.0.0.1/",
    "https://\t127.0.0.1/",
    "https://127.0.0.1\u0000.example.com/",
    // URLs that are not HTTPS.
    "http://example.com/",
    "HTTP://EXAMPLE.COM/",
    "//example.com/",
    "/hook",
    "",
    " ",
    "example.com",
    "example.com:443/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "dict://127.0.0.1:11211/",
    "data:text/html,hello",
    "javascript:alert(1)",
    "ws://example.com/",
    "wss://example.com/",
    "blob:https://example.com/1",
    "jar:https://example.com/!/",
    "unix:/run/docker.sock",
    "https://",
    "https:///",
    "https://:443/",
    "https://?",
    "https://#",
    "https://.",
    "https://./",
    `https://example.com/${"x".repeat(2048)}`,
  );

/** Public names that resolve to private addresses. */
export const HOSTILE_NAMES: Readonly<Record<string, string[]>> = {
  "127.0.0.1.nip.io": ["127.0.0.1"],
  "localtest.me": ["127.0.0.1", "::1"],
  "six.example.com": ["::1"],
  "mapped.example.com": ["::ffff:127.0.0.1"],
  "nat64.example.com": ["64:ff9b::7f00:1"],
  "metadata.example.com": ["169.254.169.254"],
  "mixed.example.com": ["93.184.215.14", "127.0.0.1"],
  "mixed-last.example.com": ["2606:2800:21f:cb07::1", "93.184.215.14", "10.0.0.1"],
  "mixed-six.example.com": ["93.184.215.14", "fe80::1"],
  "zone.example.com": ["fe80::1%lo"],
  "nonsense.example.com": ["nonsense"],
  "nowhere.example.com": [],
};

const GOOD_HOSTS = [
  ..."example.com www.example.com hooks.example.co.uk xn--bcher-kva.example bücher.example EXAMPLE.com example.com.".split(
    " ",
  ),
  ..."a-b.example 1.example.com 127.0.0.1.example.com localhost.example.com internal.example.com local.example".split(
    " ",
  ),
  ..."10.example.net home.example.org mylocal.com thelan.net 1.1.1.1 8.8.8.8 93.184.215.14 172.32.0.1 [2606:4700:4700::1111]".split(
    " ",
  ),
  ..."[2a00:1450:4001:80e::200e] 100.128.0.1 169.253.255.255".split(" "),
];

/** URLs as partners use them. */
export const VALID_URLS: readonly string[] = GOOD_HOSTS.flatMap((host) => [
  `https://${host}`,
  `https://${host}/hooks/deskbell?tenant=7&token=a%2Fb`,
  `https://${host}:8443/`,
  `https://${host}/${"x".repeat(1500)}`,
]);
