import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { readSources, type SourceFile, sample, visit } from '../tidy/source-files.ts'

const program = readSources(['src', 'jobs', 'reports', 'sandbox'])

describe('SQL', () => {
  it('is made of names and parameters, never of text', () => {
    expect(program.length).toBeGreaterThan(150)
    const strays = program.flatMap((file) =>
      textMadeSql(file).map((text) => `${file.path}: ${text}`),
    )
    expect(strays.toSorted()).toEqual([
      // Names that the declarations below hold, constants, the text of a compiled query with its values as
      // settings, and the driver's own begin and rollback.
      'reports/shared/expressions.ts: sql.lit(value)',
      'src/sync/ledger/due-parents.ts: sql.lit(BUNDLE)',
      'src/warehouse/embedded/embedded.ts: `create database ${DATABASE}`',
      'src/warehouse/kysely-driver.ts: CompiledQuery.raw(sql)',
      'src/warehouse/load/copy-rows.ts: `copy svc."${stream.name}" (${list}) from stdin`',
      'src/warehouse/load/fingerprints.ts: client.query(copy)',
    ])
  })

  it.each([
    'sql.raw(text)',
    'sql.lit(text)',
    'db.executeQuery(CompiledQuery.raw(text))',
    'client.query(`select * from ${table}`)',
    "client.query('select * from ' + table)",
    'client.query(text)',
  ])('made like this would be found: %s', (code) => {
    expect(textMadeSql(sample('src/sync/a.ts', code))).toHaveLength(1)
  })

  it('names tables and columns by declarations, in letters that need no quoting', () => {
    const streams = jobs.flatMap((job) => job.streams)
    const names = streams.flatMap(({ name, columns, key, volatile }) => [
      name,
      ...Object.keys(columns),
      ...key,
      ...volatile,
    ])
    expect(streams.length).toBeGreaterThan(30)
    expect(names.length).toBeGreaterThan(150)
    expect(names.filter((name) => !/^[a-z_][a-z0-9_]{0,50}$/.test(name))).toEqual([])
  })

  it('is written by a Kysely that escapes what it must', () => {
    const file = join(import.meta.dirname, '..', '..', 'node_modules', 'kysely', 'package.json')
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
    const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
    expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(28_017)
  })
})

/** Unescaped pieces, and statements that are put together as text or handed on as a variable. */
function textMadeSql({ ast }: SourceFile): string[] {
  const found: string[] = []
  visit(ast, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) {
      if (ts.isTemplateExpression(node) && isStatement(node)) found.push(node.getText())
      return
    }
    const { expression, name } = node.expression
    const [first] = node.arguments
    const unescaped =
      /^(sql|CompiledQuery)$/.test(expression.getText()) && /^(raw|lit)$/.test(name.text)
    if (unescaped) found.push(node.getText())
    const opaque = first !== undefined && (ts.isIdentifier(first) || ts.isBinaryExpression(first))
    if (name.text === 'query' && expression.getText() === 'client' && opaque)
      found.push(node.getText())
  })
  return found
}

/** A template that begins as a statement does, and is no tagged one. */
function isStatement(node: ts.TemplateExpression): boolean {
  const tagged = ts.isTaggedTemplateExpression(node.parent)
  const head =
    /^\s*(select|insert|update|delete|copy|create|alter|drop|truncate|grant|revoke|with)\s/i
  return (
    !tagged &&
    head.test(node.head.text) &&
    /\b(from|into|set|table|database|role|on)\b/i.test(node.getText())
  )
}
