/** The rooms of the program, the lowest first: a room may import those before it alone. */
export const ROOMS = [
  'core',
  'resources',
  'config',
  'api',
  'store',
  'warehouse',
  'evidence',
  'archive',
  'report',
  'sync',
  'erasure',
  'audit',
  'apply',
  'account',
  'serve',
  'cli',
] as const

/**
 * The folders of a room by floors, the lowest first: a folder may import those of lower floors alone. A dot
 * is the room's own.
 */
export const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  core: [
    ['.'],
    ['time'],
    ['values'],
    ['tables'],
    ['define'],
    ['persons', 'records'],
    ['notifications'],
  ],
  api: [['answers'], ['quota'], ['call'], ['auth', 'files'], ['.']],
  warehouse: [['schema'], ['.'], ['embedded'], ['ledger'], ['keep-out', 'load'], ['move']],
  evidence: [['log'], ['sql'], ['stamp'], ['witness'], ['.']],
  archive: [['sql'], ['.']],
  report: [['files'], ['xlsx'], ['page'], ['pdf'], ['.'], ['lake']],
  sync: [['ledger'], ['plan'], ['run'], ['read'], ['deletions'], ['.']],
  erasure: [['sql'], ['.']],
  audit: [['proof'], ['page', 'verify'], ['bundle']],
  apply: [['workbook'], ['.'], ['desired']],
  serve: [
    ['.'],
    ['ledger'],
    ['queue'],
    ['notifications'],
    ['health'],
    ['metrics', 'page', 'alerts'],
    ['work'],
  ],
  cli: [['frame'], ['apply', 'doctor', 'mcp'], ['demo', 'init'], ['.']],
  sandbox: [
    ['base'],
    ['readings'],
    ['seed-data'],
    ['protocol'],
    ['access', 'forms', 'users'],
    ['notices', 'numbers', 'video'],
    ['whiteboards'],
    ['lists'],
    ['server'],
  ],
}
