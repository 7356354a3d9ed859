import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import { catalog } from '../../src/account/catalog.ts'
import { configJsonSchema } from '../../src/config/json-schema.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { configSchema } from '../../src/config/schema.ts'

const root = join(import.meta.dirname, '..', '..')
const file = join(root, 'config.example.yaml')
const text = readFileSync(file, 'utf8')

describe('config.example.yaml', () => {
  it('loads without a warning', () => {
    const { config, warnings } = loadConfig({ path: file, ...catalog, environment: {} })
    expect(warnings).toEqual([])
    expect(config.database.directory).toBe(join(root, '.callsheet', 'postgres'))
  })

  it('contains exactly the defaults', () => {
    const schema = configSchema(catalog)
    const written = schema.parse(parseDocument(text).toJS())
    const [account] = written.accounts
    const bare = schema.parse({
      accounts: [
        {
          name: account?.name,
          baseUrl: account?.baseUrl,
          authUrl: account?.authUrl,
          accountId: account?.accountId,
          clientId: account?.clientId,
          clientSecret: 'env:CALLSHEET_CLIENT_SECRET',
        },
      ],
    })
    expect(written).toEqual(bare)
  })

  it('contains every setting', () => {
    const written = parseDocument(text).toJS() as unknown
    const schema = z.toJSONSchema(configSchema(catalog), {
      io: 'input',
      unrepresentable: 'any',
    })
    const expected = keysOf(schema as Shape)
    expect(expected.length).toBeGreaterThan(40)
    expect(keysIn(written).toSorted()).toEqual(expected.toSorted())
  })

  it('explains every setting in a comment', () => {
    const lines = text.split('\n')
    const bare = lines.filter((line, index) => {
      if (!/^\s*(?:- )?\w+: \S/.test(line) || /^ {4}schedule:/.test(line)) return false
      const before = lines.slice(0, index).toReversed()
      const comment = before.findIndex((candidate) => candidate.trim().startsWith('#'))
      const gap = before.slice(0, comment).filter((candidate) => candidate.trim() === '')
      return comment < 0 || gap.length > 0
    })
    expect(bare).toEqual([])
  })

  it('has the JSON schema that `npm run config:schema` prints', () => {
    expect(readFileSync(join(root, 'config.schema.json'), 'utf8')).toBe(configJsonSchema(catalog))
  })
})

interface Shape {
  properties?: Record<string, Shape>
  items?: Shape
  default?: unknown
}

/** The paths of all settings. A list's settings count once, and a list with a default is a setting. */
function keysOf(shape: Shape, prefix = ''): string[] {
  if (shape.items !== undefined)
    return shape.default === undefined ? keysOf(shape.items, prefix) : []
  return Object.entries(shape.properties ?? {}).flatMap(([key, inner]) => [
    `${prefix}${key}`,
    ...keysOf(inner, `${prefix}${key}.`),
  ])
}

function keysIn(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value))
    return prefix === 'accounts.' ? value.flatMap((item) => keysIn(item, prefix)) : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    `${prefix}${key}`,
    ...keysIn(inner, `${prefix}${key}.`),
  ])
}
