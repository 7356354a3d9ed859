import { tmpdir } from 'node:os'
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { openApiOf } from '../../src/cli/openapi.ts'
import { operations } from '../../src/resources/declared.ts'
import { start } from './workbench.ts'

interface Described {
  operationId: string
  security: Record<string, string[]>[]
  requestBody?: object
  responses: Record<string, { description: string }>
  parameters: { name: string; in: string; required: boolean }[]
}
interface Document {
  openapi: string
  paths: Record<string, Record<string, Described>>
}

let printed: Document
const copyOf = (document: Document): Record<string, unknown> => ({ ...structuredClone(document) })
beforeAll(async () => {
  const { code, stdout } = await start(['sandbox', '--openapi', '--json'], { folder: tmpdir() })
    .ended
  if (code !== 0) throw new Error(`the sandbox printed nothing: ${code}`)
  printed = JSON.parse(stdout) as Document
})

describe('sandbox --openapi', () => {
  it('is taken by a validator of OpenAPI 3.1, which refuses it when it is broken', async () => {
    const validator = new Validator()
    const judged = await validator.validate(copyOf(printed))
    expect({ valid: judged.valid, errors: judged.errors }).toEqual({
      valid: true,
      errors: undefined,
    })
    expect(validator.version).toBe('3.1')
    const broken = copyOf(printed)
    delete broken.info
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
  })

  it('has every operation once, with its parameters, scopes, body and refusals', () => {
    const all = Object.values(printed.paths).flatMap((methods) => Object.values(methods))
    expect(all.map(({ operationId }) => operationId).toSorted()).toEqual(
      operations.map(({ id }) => id).toSorted(),
    )
    for (const operation of operations) {
      const { id, path, method, scopes, granularScopes, body, errors = [] } = operation
      const said = printed.paths[path]?.[method.toLowerCase()]
      expect(said?.operationId).toBe(id)
      const inPath = said?.parameters.filter((parameter) => parameter.in === 'path') ?? []
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
      expect(inPath.every(({ required }) => required)).toBe(true)
      expect({ id, body: said?.requestBody !== undefined }).toEqual({
        id,
        body: body !== undefined,
      })
      const ways = said?.security.flatMap((way) => way.oauth ?? []) ?? []
      if (operation.bearer === 'oauth') expect(ways).toEqual([...scopes, ...granularScopes])
      for (const { status, code } of errors)
        expect(said?.responses[String(status)]?.description).toContain(`${code}: `)
    }
  })

  it('names the port that was asked for, and nothing that OpenAPI does not know', () => {
    const url = 'http://127.0.0.1:8080/v2'
    const made = openApiOf(operations, { url, authUrl: 'http://127.0.0.1:8080', version: '2' })
    expect(JSON.parse(JSON.stringify(made))).toEqual(printed)
    expect(JSON.stringify(printed.paths)).not.toContain('$schema')
  })
})
