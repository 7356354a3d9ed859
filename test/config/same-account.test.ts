import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { useConfigFolder } from './config-folder.ts'

const { inFolder, load } = useConfigFolder()

type Settings = Readonly<Record<string, string>>
const OWN = {
  baseUrl: 'https://api.svc.example/v2',
  authUrl: 'https://svc.example',
  accountId: 'acc-1',
  clientId: 'app-1',
  clientSecret: 'env:SECRET',
}
const BY_LOGIN = {
  app: 'user-authorized',
  redirectUrl: 'http://127.0.0.1:8090/back',
  accountId: 'null',
}

function warningsOf(...accounts: Settings[]): readonly string[] {
  const entries = accounts.map((own, at) => {
    const lines = Object.entries({ ...OWN, ...own }).map(([key, value]) => `    ${key}: ${value}`)
    return [`  - name: name-${at + 1}`, ...lines].join('\n')
  })
  return load(`accounts:\n${entries.join('\n')}\n`).warnings.map((text) =>
    text.replaceAll(inFolder('').replace(/\/?$/, '/'), ''),
  )
}

it.each<[string, Settings, Settings]>([
  ['the same account ID', {}, {}],
  ['another app of the same account', {}, { clientId: 'app-2' }],
  ['the address with a slash', {}, { baseUrl: 'https://api.svc.example/v2/' }],
  ['the address in capitals, with its port', {}, { baseUrl: 'https://API.SVC.example:443/v2' }],
  ['another version of the API', {}, { baseUrl: 'https://api.svc.example/v3' }],
  ['the same app by login', BY_LOGIN, BY_LOGIN],
])('two names for one account of the service cause a warning: %s', (_what, first, second) => {
  const warnings = warningsOf(first, second)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/^config\.yaml:\d+:\d+ \(accounts\[1\]\.(?:accountId|clientId)\): /)
  expect(warnings[0]).toContain('name-1 and name-2')
  expect(warnings[0]).toContain('quota')
  expect(warnings[0]).toContain('Keep one')
  expect(warnings[0]).not.toMatch(/acc-1|app-1/)
})

it.each<[string, Settings, Settings]>([
  ['another account ID', {}, { accountId: 'acc-2' }],
  ['an account ID in another case', {}, { accountId: 'ACC-1' }],
  ['another service', {}, { baseUrl: 'https://api.other.example/v2' }],
  ['another port', {}, { baseUrl: 'https://api.svc.example:8443/v2' }],
  ['other apps by login', BY_LOGIN, { ...BY_LOGIN, clientId: 'app-2' }],
])('two different accounts of the service cause no warning: %s', (_what, first, second) => {
  expect(warningsOf(first, second)).toEqual([])
})

it('an account of the service causes one warning, whatever the number of its names', () => {
  expect(warningsOf({}, {}, { accountId: 'acc-2' }, {}, { accountId: 'acc-2' })).toEqual([
    expect.stringContaining('name-1, name-2 and name-4'),
    expect.stringContaining('name-3 and name-5'),
  ])
  const [many = '', ...more] = warningsOf(...Array.from({ length: 300 }, () => ({})))
  expect(many.length).toBeLessThan(600)
  expect(many).toContain('and 295 more')
  expect(more).toEqual([])
})

it('the warning names the place of an account that has a file of its own', () => {
  mkdirSync(inFolder('accounts.d'))
  const lines = Object.entries({ name: 'second', ...OWN }).map(([key, value]) => `${key}: ${value}`)
  writeFileSync(inFolder('accounts.d/b.yaml'), lines.join('\n'))
  const own = Object.entries(OWN).map(([key, value]) => `    ${key}: ${value}`)
  const { warnings } = load(
    ['accountsDirectory: accounts.d', 'accounts:', '  - name: first', ...own].join('\n'),
  )
  expect(warnings).toEqual([
    expect.stringMatching(/accounts\.d\/b\.yaml:\d+:\d+ .*first and second/),
  ])
})
