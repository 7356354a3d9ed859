import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { catalogueTable, listed } from './catalogue.ts'
import { UNSEEN_IN_BUNDLE, UNSEEN_ON_STAGE } from './not-found.ts'
import { ROLES, type Role } from './tamper.ts'

const WITH_A_KEY: readonly Role[] = ['holder', 'former']

it('the catalogue lists each tamper once, by the role that does it', () => {
  const names = listed().map(({ by, where, name }) => `${by}, ${where}: ${name}`)
  expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([])
  expect(names.length).toBeGreaterThan(200)
})

it('the catalogue has at least 60 detectable tampers without the key, and some in every place', () => {
  const shown = listed().filter(({ by, found }) => !WITH_A_KEY.includes(by) && found !== 'refused')
  expect(shown.length).toBeGreaterThan(60)
  const places = new Set(shown.flatMap(({ where }) => where.split(' and ')))
  expect([...places].toSorted()).toEqual(['bundle', 'database', 'lake', 'store'])
})

it('the catalogue has tampers by every role', () => {
  const roles = new Set<string>(listed().map(({ by }) => by))
  expect([...roles].toSorted()).toEqual(Object.keys(ROLES).toSorted())
})

it('docs/security.md has the counts that npm run tampers prints', () => {
  expect(readFileSync('docs/security.md', 'utf8')).toContain(catalogueTable())
})

it('docs/evidence.md lists the undetectable tampers with their roles', () => {
  const rows = readFileSync('docs/evidence.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  // A row without a name continues with the name of the previous row.
  let who = ''
  const told = rows.map(([, name = '', could = '', , missed = '']) => {
    who = name === '' ? who : name
    return { who, could, missed: missed.length > 0 }
  })
  for (const { by, could } of [...UNSEEN_ON_STAGE, ...UNSEEN_IN_BUNDLE])
    expect(told).toContainEqual({ who: ROLES[by], could, missed: true })
})
