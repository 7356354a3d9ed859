import ts from 'typescript'
import type { Finding, SourceFile } from './source-files.ts'

/** Exported types of the program that have a name in common: whoever meets one would look for the other. */
export function namesakes(files: readonly SourceFile[]): Finding[] {
  const types = files.flatMap(({ path, ast }) =>
    ast.statements.flatMap((statement) =>
      isType(statement) && statement.name !== undefined && isExported(statement)
        ? [{ path, name: statement.name.text }]
        : [],
    ),
  )
  return [...Map.groupBy(types, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name} is a type of ${places.map(({ path }) => path).join(', ')}`)
}

function isType(
  node: ts.Node,
): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration {
  return (
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node)
  )
}

function isExported({
  modifiers,
}: ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration) {
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
}
