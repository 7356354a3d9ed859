import ts from 'typescript'
import { type Finding, lineOf, type SourceFile, visit } from './source-files.ts'

/** Globals used outside the one place that owns them. */
export function strayGlobals(file: SourceFile): Finding[] {
  const found: Finding[] = []
  visit(file.ast, (node) => {
    const name = globalOf(node)
    if (name === undefined) return
    const owner = Object.hasOwn(OWNERS, name) ? OWNERS[name] : undefined
    if (owner !== undefined && !owner.test(file.path))
      found.push(
        `${file.path}:${lineOf(file, node.getStart())} uses ${name}, which it does not own`,
      )
  })
  return found
}

/** The dotted name of a global that a rule may speak of; `new Date()` reads the clock as `Date.now` does. */
function globalOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const root = node.expression.text
    return root === 'console' ? root : `${root}.${node.name.text}`
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date')
    return node.arguments === undefined || node.arguments.length === 0 ? 'new Date()' : undefined
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) return node.expression.text
  if (ts.isImportDeclaration(node)) return node.moduleSpecifier.getText().slice(1, -1)
  return undefined
}

const CLOCK = /^src\/core\/time\/clock\.ts$/
const CONSOLE = /^src\/cli\//

const OWNERS: Readonly<Record<string, RegExp>> = {
  'process.env': /^src\/config\//,
  'Date.now': CLOCK,
  'new Date()': CLOCK,
  'performance.now': CLOCK,
  'process.hrtime': CLOCK,
  setTimeout: CLOCK,
  setInterval: CLOCK,
  'node:timers/promises': CLOCK,
  'node:timers': CLOCK,
  console: CONSOLE,
  'process.stdout': CONSOLE,
  'process.stderr': CONSOLE,
}
