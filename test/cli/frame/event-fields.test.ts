import ts from 'typescript'
import { expect, it } from 'vitest'
import { SAFE_FIELDS } from '../../../src/cli/frame/log-fields.ts'
import { readSources, visit } from '../../tidy/source-files.ts'

it('every field name in the program’s log calls is on the list of safe fields', () => {
  const names = readSources(['src']).flatMap((file) => {
    const found: string[] = []
    visit(file.ast, (node) => {
      if (!ts.isCallExpression(node) || !node.expression.getText().endsWith('.event')) return
      const [, fields] = node.arguments
      if (fields === undefined || !ts.isObjectLiteralExpression(fields)) return
      for (const property of fields.properties)
        if (property.name !== undefined) found.push(property.name.getText())
    })
    return found
  })
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !SAFE_FIELDS.has(name))).toEqual([])
})
