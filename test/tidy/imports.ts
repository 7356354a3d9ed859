import { posix } from 'node:path'
import ts from 'typescript'
import { type Finding, lineOf, type SourceFile, visit } from './source-files.ts'

export interface Import {
  /** The repository's path for files of ours, the package's name for everything else. */
  target: string
  ours: boolean
  line: number
}

/** Every import, re-export and dynamic import with a literal name; types count too. */
export function importsOf(file: SourceFile): Import[] {
  const found: Import[] = []
  visit(file.ast, (node) => {
    const name = moduleName(node)
    if (name === undefined) return
    const ours = name.startsWith('.')
    const target = ours ? posix.join(posix.dirname(file.path), name) : packageOf(name)
    found.push({ target, ours, line: lineOf(file, node.getStart()) })
  })
  return found
}

/** Imports that point the wrong way between the layers of `ARCHITECTURE.md`. */
export function wrongDirections(file: SourceFile): Finding[] {
  const from = layerOf(file.path)
  const allowed = ALLOWED[from]
  if (allowed === undefined) return [`${file.path} lies in no known layer (${from})`]
  return importsOf(file)
    .filter(({ ours, target }) => ours && !mayImport(file.path, target))
    .map(({ line, target }) => `${file.path}:${line} imports ${target}, which ${from} may not`)
}

/** Packages used outside the files that own them. */
export function strayPackages(file: SourceFile): Finding[] {
  return importsOf(file)
    .filter(({ ours, target }) => !ours && PACKAGE_OWNERS[target]?.test(file.path) === false)
    .map(({ line, target }) => `${file.path}:${line} imports ${target}, which it does not own`)
}

/** The chains of files that import each other in a circle, each once. */
export function cycles(files: readonly SourceFile[]): Finding[] {
  const graph = new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter((i) => i.ours)
        .map((i) => i.target),
    ]),
  )
  const found: Finding[] = []
  const done = new Set<string>()
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) found.push([...trail.slice(start), path].join(' -> '))
    if (start >= 0 || done.has(path)) return
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) walk(path, [])
  return found
}

function mayImport(path: string, target: string): boolean {
  if (isDeclaration(target) && path === CATALOG) return true
  // Types alone: the tables of the data are those of the streams.
  if (path === TYPED_TABLES && target === DATA_TABLES) return true
  const to = layerOf(target)
  return ALLOWED[layerOf(path)]?.includes(to) === true
}

function layerOf(path: string): string {
  const [top = '', second = ''] = path.split('/')
  return top === 'src' ? second : top
}

function isDeclaration(path: string): boolean {
  return /^(jobs|reports|migrations)\//.test(path)
}

function moduleName(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    const specifier = node.moduleSpecifier
    return specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : undefined
  }
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword)
    return undefined
  const [argument] = node.arguments
  return argument !== undefined && ts.isStringLiteralLike(argument) ? argument.text : undefined
}

function packageOf(name: string): string {
  const parts = name.split('/')
  return name.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? name)
}

const CATALOG = 'src/account/catalog.ts'
const TYPED_TABLES = 'src/warehouse/schema/types.ts'
const DATA_TABLES = 'src/resources/tables.ts'
const MIDDLE = ['config', 'observe', 'api', 'warehouse', 'archive', 'evidence', 'render', 'tell']
const INWARD = ['core', 'resources', 'desired', ...MIDDLE, 'workbook']
const EVERYTHING = [...INWARD, 'engine', 'sandbox', 'server', 'cli']

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  resources: ['resources', 'core'],
  desired: ['desired', 'resources', 'core'],
  ...Object.fromEntries(MIDDLE.map((layer) => [layer, [layer, 'core']])),
  workbook: ['workbook', 'render', 'core'],
  engine: ['engine', 'core', 'workbook', ...MIDDLE],
  sandbox: ['sandbox', 'core', 'resources'],
  server: ['server', 'core', 'engine'],
  cli: EVERYTHING,
  jobs: ['core', 'resources', 'reports'],
  reports: ['reports', 'core', 'resources'],
  migrations: ['migrations'],
}

/** Every layer, so that the pages that draw them can be held to name each. */
export const LAYERS: readonly string[] = Object.keys(ALLOWED)

const PACKAGE_OWNERS: Readonly<Record<string, RegExp>> = {
  '@aws-sdk/client-s3': /^src\/archive\/s3[a-z-]*\.ts$/,
  yazl: /^src\/evidence\//,
  yauzl: /^src\/(evidence|workbook)\//,
  saxes: /^src\/workbook\//,
  undici: /^src\/(api|tell)\//,
  oauth4webapi: /^src\/api\//,
  jose: /^src\/api\//,
  'p-queue': /^src\/api\/rate\/governor\.ts$/,
  pg: /^src\/warehouse\/(connection|load)\/(connect|copy|type)[a-z-]*\.ts$/,
  'pg-copy-streams': /^src\/warehouse\/(connection|load)\/copy[a-z-]*\.ts$/,
  'node-cron': /^src\/(engine\/dispatch\/|config\/fields\.ts$)/,
  'pg-boss': /^src\/engine\/dispatch\/queue\.ts$/,
  exceljs: /^src\/render\//,
  'hyparquet-writer': /^src\/render\/parquet\//,
  hyparquet: /^src\/(render\/parquet|workbook)\//,
  yaml: /^src\/(config|cli)\//,
  pino: /^src\/observe\//,
  'pino-pretty': /^src\/observe\//,
  commander: /^src\/cli\//,
  listr2: /^src\/cli\//,
  pkijs: /^src\/(core\/time\/timestamp\.ts|evidence\/stamps\/)/,
  asn1js: /^src\/(core\/time\/timestamp\.ts|evidence\/stamps\/)/,
  hono: /^src\/(sandbox|server)\//,
  '@hono/node-server': /^src\/(sandbox|server)\//,
  'prom-client': /^src\/server\//,
  nodemailer: /^src\/tell\//,
}
