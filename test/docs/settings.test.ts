import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { catalog } from '../../src/account/catalog.ts'
import { configJsonSchema } from '../../src/config/json-schema.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { account } from '../config/config-folder.ts'
import { BLOCKS, SPANS } from './pages.ts'

interface Shape {
  properties?: Record<string, Shape>
  additionalProperties?: Shape | boolean
  items?: Shape
  anyOf?: Shape[]
  oneOf?: Shape[]
}

const schema = JSON.parse(configJsonSchema(catalog)) as Shape
const ofAccount = schema.properties?.accounts ?? {}
const folder = mkdtempSync(join(tmpdir(), 'callsheet-docs-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('YAML in the docs', () => {
  const blocks = BLOCKS.filter(({ language }) => language === 'yaml')

  it('is found by these tests', () => {
    expect(blocks.length).toBeGreaterThan(6)
  })

  it.each(blocks)('$page:$line loads as a configuration', ({ text }) => {
    const path = join(folder, 'config.yaml')
    const whole = Object.hasOwn(parse(text) as object, 'accounts')
    writeFileSync(path, whole ? text : `${text}\n${account.join('\n')}\n`)
    const environment = new Proxy({}, { get: () => 'x'.repeat(32), has: () => true })
    expect(loadConfig({ path, ...catalog, environment }).config.accounts).not.toEqual([])
  })
})

describe('settings in the text of the docs', () => {
  const named = SPANS.filter(
    ({ span }) =>
      /^[a-z]\w*(?:\.[\w-]+)+(?:: .+)?$/i.test(span) &&
      !/\.(?:env|key)$/.test(span) &&
      (exists(schema, span.split('.').slice(0, 1)) ||
        exists(ofAccount, span.split('.').slice(0, 1))),
  )

  it('exist', () => {
    expect(named.length).toBeGreaterThan(60)
    const wrong = named.filter(({ span }) => {
      const path = span.replace(/: .*$/, '').split('.')
      return !exists(schema, path) && !exists(ofAccount, path)
    })
    expect(wrong).toEqual([])
  })
})

/** Whether a setting of this path exists; an entry of a list has the path of the list. */
function exists(shape: Shape | boolean | undefined, path: readonly string[]): boolean {
  if (typeof shape !== 'object') return false
  const [key, ...rest] = path
  if (key === undefined) return true
  const { properties, additionalProperties, items, anyOf = [], oneOf = [] } = shape
  return (
    exists(properties?.[key], rest) ||
    exists(additionalProperties, rest) ||
    [items, ...anyOf, ...oneOf].some((inner) => exists(inner, path))
  )
}
