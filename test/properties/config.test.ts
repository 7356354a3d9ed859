import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { ConfigurationError } from '../../src/core/errors.ts'
import { anyText, holds } from './holds.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'callsheet-config-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

function load(text: string | Uint8Array): ReturnType<typeof loadConfig> | ConfigurationError {
  const path = join(directory, 'config.yaml')
  writeFileSync(path, text, { mode: 0o600 })
  try {
    return loadConfig({ path, jobs, environment: {} })
  } catch (error) {
    if (error instanceof ConfigurationError) return error
    throw error
  }
}

const account = {
  name: 'main',
  baseUrl: 'https://api.example.com/v2',
  authUrl: 'https://example.com',
  accountId: 'a',
  clientId: 'c',
  clientSecret: 's',
}

it('any bytes are a valid configuration or cause an error without terminal sequences', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    anyText(80).map((text) => Buffer.from(text)),
    fc.json({ maxDepth: 3 }).map((text) => Buffer.from(text)),
  )
  let refused = 0
  await holds(
    fc.property(bytes, (content) => {
      const result = load(content)
      if (!(result instanceof ConfigurationError)) return
      refused++
      // oxlint-disable-next-line no-control-regex -- these are what must not be there
      expect(result.message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    }),
    400,
  )
  expect(refused).toBeGreaterThan(100)
})

it('a setting that does not exist is named with its line, and its value is never shown', async () => {
  const name = fc.stringMatching(/^[a-z][a-zA-Z]{2,14}$/).filter((key) => !(key in account))
  const secret = fc.stringMatching(/^[A-Z0-9]{24}$/)
  await holds(
    fc.property(name, secret, (key, value) => {
      fc.pre(!['quotas', 'reserve', 'scopes', 'label', 'jobs', 'enabled'].includes(key))
      const lines = Object.entries(account).map(([field, of]) => `    ${field}: ${of}`)
      const text = ['accounts:', '  -', ...lines, `    ${key}: ${value}`, ''].join('\n')
      const result = load(text)
      expect(result).toBeInstanceOf(ConfigurationError)
      const { message } = result as ConfigurationError
      expect(message).toContain(`:${lines.length + 3}:5 accounts[0].${key} is not a setting`)
      expect(message).not.toContain(value)
    }),
    100,
  )
})
