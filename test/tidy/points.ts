import ts from 'typescript'
import { type Finding, lineOf, type SourceFile, visit } from './source-files.ts'

/**
 * Whatever the program takes from `core/kill-point.ts` beside `point` itself: only tests may listen, so a
 * listener can never be part of a run. Types vanish and do no harm; a namespace or a dynamic import would
 * bring all.
 */
export function strayListeners(file: SourceFile): Finding[] {
  if (file.path === 'src/core/kill-point.ts') return []
  const found: Finding[] = []
  visit(file.ast, (node) => {
    if (!namesPoints(node)) return
    const taken = takenBy(node).filter((name) => name !== 'point')
    if (taken.length === 0) return
    const where = `${file.path}:${lineOf(file, node.getStart())}`
    found.push(`${where} takes ${taken.join(', ')} from core/kill-point.ts, which only tests may`)
  })
  return found
}

function namesPoints(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) && /(^|\/)kill-point\.[jt]s$/.test(node.text)
}

function takenBy(name: ts.Node): string[] {
  const { parent } = name
  if (!ts.isImportDeclaration(parent)) return ['everything']
  const { importClause } = parent
  if (importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return []
  const bindings = importClause?.namedBindings
  if (bindings === undefined || !ts.isNamedImports(bindings)) return ['everything']
  return bindings.elements
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map((element) => (element.propertyName ?? element.name).text)
}
