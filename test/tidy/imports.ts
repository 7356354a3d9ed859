import { posix } from 'node:path'
import ts from 'typescript'
import { ROOMS } from './rooms.ts'
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

/** Imports that point the wrong way between the rooms of `ARCHITECTURE.md`. */
export function wrongDirections(file: SourceFile): Finding[] {
  const from = roomOf(file.path)
  if (rankOf(from) < 0 && BESIDE[from] === undefined)
    return [`${file.path} lies in no known room (${from})`]
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
  const [from, to] = [roomOf(path), roomOf(target)]
  if (isDeclaration(target)) return path === CATALOG || declaresBy(from, to)
  if (to === 'sandbox') return from === to || STARTS_SANDBOX.test(path)
  const beside = BESIDE[from]
  if (beside !== undefined) return beside.includes(to)
  // Types alone: the tables of the data are those of the streams.
  if (to === 'resources' && path !== TYPED_TABLES && !NAME_RESOURCES.includes(from)) return false
  return rankOf(to) >= 0 && rankOf(to) <= rankOf(from)
}

const declaresBy = (from: string, to: string): boolean => BESIDE[from]?.includes(to) === true

const rankOf = (room: string): number => ROOMS.findIndex((one) => one === room)

function roomOf(path: string): string {
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
const STARTS_SANDBOX = /^src\/cli\/(demo\/|sandbox\.ts$)/
/** All others know streams by what declares them. */
const NAME_RESOURCES = ['resources', 'apply', 'account', 'cli']

/** What lies beside `src`, and what it may import. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  sandbox: ['sandbox', 'core', 'resources'],
  jobs: ['core', 'resources', 'reports'],
  reports: ['reports', 'core', 'resources'],
  migrations: ['migrations'],
}

const PACKAGE_OWNERS: Readonly<Record<string, RegExp>> = {
  '@aws-sdk/client-s3': /^src\/store\/s3[a-z-]*\.ts$/,
  '@noble/hashes': /^src\/audit\/page\/browser\//,
  yazl: /^src\/audit\/bundle\//,
  yauzl: /^src\/apply\/workbook\//,
  saxes: /^src\/apply\/workbook\//,
  undici: /^src\/(api|evidence\/witness|serve\/alerts)\//,
  oauth4webapi: /^src\/api\//,
  jose: /^src\/api\//,
  'p-queue': /^src\/api\/quota\/governor\.ts$/,
  pg: /^src\/warehouse\/(load\/)?(connect|copy|type)[a-z-]*\.ts$/,
  'pg-copy-streams': /^src\/warehouse\/(load\/)?copy[a-z-]*\.ts$/,
  'node-cron': /^src\/(core\/time\/|serve\/queue\/|config\/fields\.ts$)/,
  'pg-boss': /^src\/serve\/queue\/queue\.ts$/,
  exceljs: /^src\/report\/xlsx\//,
  avsc: /^src\/report\/lake\/manifests\.ts$/,
  'hyparquet-writer': /^src\/report\/files\//,
  '@modelcontextprotocol/sdk': /^src\/cli\/mcp\//,
  yaml: /^src\/(config|cli)\//,
  pino: /^src\/cli\/frame\//,
  'pino-pretty': /^src\/cli\/frame\//,
  commander: /^src\/cli\//,
  pkijs: /^src\/evidence\/stamp\//,
  asn1js: /^src\/evidence\/stamp\//,
  hono: /^(sandbox|src\/serve)\//,
  '@hono/node-server': /^(sandbox|src\/serve)\//,
  'prom-client': /^src\/serve\//,
  nodemailer: /^src\/serve\/alerts\//,
}
