import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { HTTP_FAULTS } from '../sim/http-faults.ts'
import { FAULT_CLASSES } from '../sim/plan.ts'

const root = join(import.meta.dirname, '..', '..')
const rows = readFileSync(join(root, 'docs', 'internals', 'faults.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| [A-Z]\d+ \|/.test(line))
  .map((line) => {
    const [, id = '', , , triedBy = ''] = line.split('|').map((cell) => cell.trim())
    const names = [...triedBy.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    const files = names.filter((name) => name.includes('/'))
    return { id, files, classes: names.filter((name) => !files.includes(name)) }
  })

it('docs/internals/faults.md lists every fault class of the simulation once, and no other', () => {
  const listed = rows.flatMap(({ classes }) => classes)
  expect(listed.toSorted()).toEqual([...FAULT_CLASSES].toSorted())
})

it('docs/internals/faults.md lists the fault classes under the simulation’s IDs', () => {
  const wrong = Object.entries(HTTP_FAULTS).filter(
    ([name, id]) => rows.find((row) => row.id === id)?.classes.includes(name) !== true,
  )
  expect(wrong).toEqual([])
})

it('docs/internals/faults.md names only existing tests, at least one for each fault', () => {
  expect(rows.length).toBeGreaterThan(60)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  expect(rows.filter(({ files, classes }) => files.length + classes.length === 0)).toEqual([])
  const missing = rows.flatMap(({ files }) => files).filter((file) => !existsSync(join(root, file)))
  expect(missing).toEqual([])
})
