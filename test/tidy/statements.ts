import ts from 'typescript'
import { readSources, type SourceFile, visit } from './source-files.ts'

/** How the statements of a file are written. */
export interface Statements {
  built: number
  templates: number
}

/**
 * Counts the statements that are executed: through the query builder, or as an `sql` template. One of which
 * templates make up more than half counts as a template.
 */
export function statementsOf({ ast }: Pick<SourceFile, 'ast'>): Statements {
  const counts = { built: 0, templates: 0 }
  const values = valuesOf(ast)
  visit(ast, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
    const { name, expression } = node.expression
    if (!EXECUTES.has(name.text)) return
    const statement = ts.isIdentifier(expression) ? values.get(expression.text) : expression
    if (statement === undefined) return
    const methods = methodsOf(statement)
    if (isTemplate(statement)) counts.templates++
    else if (methods.some((method) => BUILDS.has(method)))
      counts[isMostlyTemplates(statement) ? 'templates' : 'built']++
  })
  return counts
}

/**
 * Counts the queries of a report. They are put together apart from where they are executed, so that each
 * counts that is no part of another one in its file.
 */
export function queriesOf({ ast }: Pick<SourceFile, 'ast'>): Statements {
  const counts = { built: 0, templates: 0 }
  visitAll(ast, (node) => {
    if (!ts.isExpression(node)) return true
    const isBuilt = methodsOf(node).some((method) => BUILDS.has(method))
    if (!isBuilt && !(isTemplate(node) && SELECTS.test(node.getText()))) return true
    counts[isBuilt && !isMostlyTemplates(node) ? 'built' : 'templates']++
    return false
  })
  return counts
}

function valuesOf(ast: ts.SourceFile): Map<string, ts.Expression> {
  const values = new Map<string, ts.Expression>()
  visit(ast, (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      values.set(node.name.text, node.initializer)
  })
  return values
}

function isTemplate(node: ts.Expression): boolean {
  return ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql'
}

/** The names of the calls that a chain consists of. */
function methodsOf(node: ts.Expression): string[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return []
  const { name, expression } = node.expression
  return [...methodsOf(expression), name.text]
}

function isMostlyTemplates(statement: ts.Expression): boolean {
  let length = 0
  visitAll(statement, (node) => {
    if (!ts.isExpression(node) || !isTemplate(node)) return true
    length += node.getText().length
    return false
  })
  return length > statement.getText().length / 2
}

/** As `visit`, but not into what `enter` answers false for. */
function visitAll(node: ts.Node, enter: (node: ts.Node) => boolean): void {
  if (enter(node)) ts.forEachChild(node, (child) => visitAll(child, enter))
}

const EXECUTES = new Set(['execute', 'executeTakeFirst', 'executeTakeFirstOrThrow', 'stream'])
const BUILDS = new Set([
  'selectFrom',
  'insertInto',
  'updateTable',
  'deleteFrom',
  'mergeInto',
  'selectNoFrom',
])

const SELECTS = /^sql(<.*>)?`[\s(]*(select|with)\b/

if (import.meta.main) {
  print('src', 'statements', statementsOf)
  print('reports', 'queries', queriesOf)
}

function print(folder: string, what: string, count: typeof statementsOf): void {
  const counts = readSources([folder])
    .map((file) => ({ path: file.path, ...count(file) }))
    .filter(({ built, templates }) => built + templates > 0)
  for (const { path, built, templates } of counts)
    process.stdout.write(
      `${String(built).padStart(5)} built ${String(templates).padStart(4)} templates  ${path}\n`,
    )
  const built = counts.reduce((sum, one) => sum + one.built, 0)
  const all = counts.reduce((sum, one) => sum + one.built + one.templates, 0)
  process.stdout.write(`${built} of ${all} ${what} of ${folder} go through the builder\n`)
}
