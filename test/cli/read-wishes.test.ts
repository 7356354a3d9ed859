import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { desired } from '../../src/account/catalog.ts'
import { readWishes } from '../../src/apply/desired/read-wishes.ts'
import { ConfigurationError } from '../../src/core/errors.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'callsheet-wishes-'))))
afterAll(() => rmSync(folder, { recursive: true }))

function read(text: string | undefined) {
  const file = join(folder, 'changes.yaml')
  if (text === undefined) rmSync(file, { force: true })
  else writeFileSync(file, text)
  return readWishes(file, desired)
}

function refusal(text: string | undefined): string {
  try {
    read(text)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
  return 'nothing is wrong'
}

it('a file for apply is read in the order in which its changes are sent', () => {
  const text = `
account: main
boards:
  - {whiteboard_id: b-1, label: null}
numbers:
  - {number: "+14155550100", allocated_product: SVC_PHONE}
  - {id: n-1, site: Berlin office}
`
  const { account, wanted } = read(text)
  expect(account).toBe('main')
  expect(wanted.map((one) => one.desired.name)).toEqual(['numbers', 'boards'])
  expect(wanted.flatMap(({ entries }) => entries.map(({ place }) => place))).toEqual([
    'changes.yaml:6:5',
    'changes.yaml:7:5',
    'changes.yaml:4:5',
  ])
})

it('an empty file for apply requests no changes', () => {
  expect(read('').wanted).toEqual([])
  expect(read('numbers: []').wanted).toEqual([])
})

it.each([
  ['does not exist', undefined, 'there is no such file'],
  ['is not YAML', '{', 'changes.yaml:'],
  ['names an unknown kind', 'number: []', 'did you mean numbers?'],
  ['does not say which number', 'numbers:\n  - {site: x}', 'id or number is needed'],
  [
    'changes nothing about a number',
    'numbers:\n  - {id: x}',
    'allocated_product or site is needed',
  ],
  ['assigns an unknown product', 'numbers:\n  - {id: x, allocated_product: PHONE}', 'one of'],
  ['does not say which policy', 'consents:\n  - {numbers: []}', 'consent_id or consent_name'],
  ['has an unquoted phone number', 'consents:\n  - {consent_id: x, numbers: [14]}', ':2:'],
  ['does not say which label', 'labels:\n  - {color: "#000000"}', 'classification_id or name'],
  ['has an invalid color', 'labels:\n  - {name: x, color: red}', 'a hex color code'],
  ['has an address that is not safe', 'labels:\n  - {name: x, guideline_url: "http://x"}', 'https'],
  ['has a value of the wrong type', 'boards:\n  - {whiteboard_id: 5, label: x}', 'changes.yaml:2:'],
  ['is too long', `numbers:\n${'  - {}\n'.repeat(20_001)}`, 'at most 20000 lines'],
])('a file for apply that %s is refused, with the place and the reason', (_what, text, said) => {
  const message = refusal(text)
  expect(message).toContain(said)
  expect(message).toContain('changes.yaml')
})
