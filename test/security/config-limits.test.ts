import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { ConfigurationError } from '../../src/core/errors.ts'

const account = {
  name: 'main',
  baseUrl: 'https://api.svc.example/v2',
  authUrl: 'https://svc.example',
  accountId: 'acc',
  clientId: 'app',
  clientSecret: 'env:SECRET',
}
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-limits-'))
  // What is measured is the work, not the first compilation of it.
  load(JSON.stringify({ accounts: [account] }))
  for (const text of ['a: [', 'a: &x 1\nb: *x', 'a: 1']) refusal(text)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a configuration that tries to change JavaScript prototypes', () => {
  const planted = '{"polluted": 1, "logging": {"level": "debug"}}'
  const inAccount = JSON.stringify(account).slice(0, -1)
  it.each([
    ['__proto__', `{"__proto__": ${planted}, "accounts": [${inAccount}}]}`],
    ['constructor', `{"constructor": {"prototype": ${planted}}, "accounts": [${inAccount}}]}`],
    ['prototype', `{"prototype": ${planted}, "accounts": [${inAccount}}]}`],
    ['accounts[0].__proto__', `{"accounts": [${inAccount}, "__proto__": ${planted}}]}`],
    ['accounts[0].constructor', `{"accounts": [${inAccount}, "constructor": ${planted}}]}`],
    ['accounts[0].toString', `{"accounts": [${inAccount}, "toString": "x"}]}`],
    ['logging.__proto__', `{"logging": {"__proto__": ${planted}}, "accounts": [${inAccount}}]}`],
    ['jobs.__proto__', `{"jobs": {"__proto__": "x"}, "accounts": [${inAccount}}]}`],
    ['__proto__', `__proto__:\n  polluted: 1\naccounts: [${inAccount}}]\n`],
    ['<<', `<<: {polluted: 1}\naccounts: [${inAccount}}]\n`],
    ['accounts[0].<<', `accounts:\n  - <<: {polluted: 1}\n    name: main\n`],
  ])('is refused with “%s is not a setting”', (name, text) => {
    expect(refusal(text)).toContain(`${name} is not a setting`)
    expect('polluted' in {}).toBe(false)
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('is refused if it uses a YAML tag for code', () => {
    for (const tag of ['!!js/function "function () {}"', '!!python/object/apply:os.system ["x"]'])
      expect(refusal(`accounts: ${tag}`)).toMatch(/config\.yaml/)
  })
})

describe('a configuration built to exhaust memory or CPU', () => {
  it.each<[string, () => string, RegExp]>([
    ['a billion laughs', laughs, /YAML aliases/],
    ['a list of aliases', () => `a: &a [x]\nb: [${'*a,'.repeat(1_000)}]`, /YAML aliases/],
    ['an alias of itself', () => 'a: &a [*a]', /YAML aliases/],
    ['a wall of brackets', () => '['.repeat(200_000), /nested too deeply|config\.yaml/],
    ['a wall of braces', () => '{a: '.repeat(60_000), /nested too deeply|config\.yaml/],
    ['ever deeper indentation', staircase, /nested too deeply/],
    ['sixty-five levels', () => `${'['.repeat(65)}${']'.repeat(65)}`, /nested too deeply/],
    ['two million blanks', () => ' '.repeat(2_000_000), /at most 1048576 bytes/],
    ['one byte too many', () => `#${'x'.repeat(2 ** 20)}`, /is larger than 1048576 bytes/],
    ['thirty thousand names', () => 'a: 1\n'.repeat(30_000), /at most 5000 lines/],
    [
      'thirty thousand names in one line',
      () => `{${'a: 1,'.repeat(30_000)}}`,
      /at most 5000 lines/,
    ],
    ['a thousand documents', () => '---\na: 1\n'.repeat(1_000), /config\.yaml:/],
  ])('is refused within half a second of CPU time: %s', (_name, make, message) => {
    const text = make()
    const before = process.cpuUsage()
    expect(refusal(text)).toMatch(message)
    const { user, system } = process.cpuUsage(before)
    // Processor time, so that other programs do not count.
    expect((user + system) / 1000).toBeLessThan(500)
  })

  it('with thousands of unknown settings causes a short error within 1.5 seconds of CPU time', () => {
    const names = Array.from({ length: 4_000 }, (_, at) => `name${at}: 1`).join('\n')
    const before = process.cpuUsage()
    const message = refusal(names)
    const { user, system } = process.cpuUsage(before)
    expect(message.split('\n').length).toBeLessThan(25)
    expect((user + system) / 1000).toBeLessThan(1_500)
  })
})

function load(text: string): void {
  const path = join(folder, 'config.yaml')
  writeFileSync(path, text)
  loadConfig({ path, jobs, environment: {} })
}

function refusal(text: string): string {
  try {
    load(text)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as ConfigurationError).message
  }
  throw new Error('the configuration was taken')
}

function laughs(): string {
  const line = (at: number): string => `a${at}: &a${at} [${`*a${at - 1},`.repeat(9)}]`
  return ['a0: &a0 ha', ...Array.from({ length: 9 }, (_, at) => line(at + 1))].join('\n')
}

function staircase(): string {
  return Array.from({ length: 200 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')
}
