import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../source-files.ts'
import { type DeclaredMessage, readDeclared } from './declared-errors.ts'

/** The page `docs/troubleshoot.md`: what its head says, then all that the source declares. */
export function printTroubleshoot(): string {
  const { causes, problems, errors } = readDeclared(['src', 'jobs', 'reports'])
  const left = new Set(
    errors.filter(
      (one) =>
        one.codes.length > 0 &&
        (said([...one.came, ...one.expected]) !== '' || isOnly(one, errors)),
    ),
  )
  const groups = GROUPS.flatMap(([title, where]) => {
    const own = [...left].filter(({ path }) => where.test(path))
    for (const one of own) left.delete(one)
    return own.length === 0 ? [] : ['', `### ${title}`, '', ...table(ERROR_HEAD, own.map(errorRow))]
  })
  const page = [
    readFileSync(join(ROOT, 'test/tidy/troubleshoot/troubleshoot-head.md'), 'utf8').trimEnd(),
    '',
    '## What `status` and alerts report',
    '',
    'Each is a cause of bad health; [Health](health.md) says when each begins and ends.',
    '',
    ...table(['cause', 'level', 'what it means', 'what to do'], meanings()),
    '',
    'The messages, with `…` for names, numbers and reasons:',
    '',
    ...table(
      ['cause', 'level', 'message', 'what to do'],
      causes.filter(({ came }) => said(came) !== '').map(causeRow),
    ),
    '',
    '## What a run reports as a problem',
    '',
    'Listed by `sync`, `callsheet runs NUMBER`, `archive` and `audit export`, beside the errors below.',
    '',
    ...table(
      ['message'],
      problems.map(({ came }) => [came.join('<br>')]),
    ),
    '',
    '## Errors, by what you were doing',
    '',
    '`…` stands for names, numbers and reasons that only the message has.',
    ...groups,
  ]
  return `${page.join('\n')}\n`
}

/** Some places only add a remedy to an error that another place declares. */
function isOnly({ codes }: DeclaredMessage, errors: readonly DeclaredMessage[]): boolean {
  return errors.filter((one) => one.codes.some((code) => codes.includes(code))).length === 1
}

function errorRow({ codes, tried, came, expected, todo }: DeclaredMessage): string[] {
  const place = said(tried)
  const what = said(came)
  const message = [place, what].filter((text) => text !== '').join(': ') || OTHERS_WORDS
  return [codes.map((code) => `\`${code}\``).join(', '), message, said(expected), said(todo) || SEE]
}

/** Reads the causes that the page on health describes: code, level, condition, remedy. */
function meanings(): string[][] {
  const page = readFileSync(join(ROOT, 'docs/health.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `\w+` \|.*\|$/gm)].map(([row]) => row.split('|'))
  return rows.flatMap(([, code = '', amber = '', red = '', todo = '']) =>
    Object.entries({ amber, red })
      .filter(([, means]) => means.trim() !== '')
      .map((cells) =>
        [code, ...cells, todo].map((cell) => cell.trim().replace('](#', '](health.md#')),
      ),
  )
}

function causeRow({ codes, tried, came, todo }: DeclaredMessage): string[] {
  return [
    codes.map((code) => `\`${code}\``).join(', '),
    tried.join(', '),
    said(came),
    said(todo) || SEE,
  ]
}

/** Joins alternatives; those that only a run knows are left out. */
function said(texts: readonly string[]): string {
  const plain = texts.map((text) => text.replace(' (x-svc-trackingid …)', ''))
  return [...new Set(plain)].filter((text) => /\w{3}/.test(text)).join(' / ')
}

/** Prints each row once, in the order of its first cell. */
function table(head: readonly string[], rows: readonly string[][]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`
  const lines = [...new Set(rows.map(line))].sort()
  return [line(head), `|${'---|'.repeat(head.length)}`, ...lines]
}

const ERROR_HEAD = ['code', 'message', 'expected', 'what to do']
const OTHERS_WORDS = 'what was tried, and the message of the database, server or system'
const SEE = 'as the message says'

/** Who gets the errors of a file: the first that fits. */
const GROUPS: readonly (readonly [title: string, where: RegExp])[] = [
  ['Setting it up: configuration, keys and accounts', /^src\/(config|account)\//],
  ['Logging in and getting tokens', /^src\/(api\/auth\/|cli\/(login|logout))/],
  ['Reading from the service', /^src\/(api|sync|core)\//],
  ['Fetching and storing files', /^src\/(archive|store)\/|^src\/cli\/archive/],
  ['Using the database', /^src\/warehouse\/|^src\/cli\/(psql|migrate|ledger|restored)/],
  [
    'Proving and verifying',
    /^src\/(evidence|audit)\/|^src\/cli\/(audit|verify|case|frame\/export-b)/,
  ],
  ['Erasing a person', /^src\/erasure\/|^src\/cli\/erase/],
  ['Making reports and exports', /^(src\/report|reports|jobs)\/|^src\/cli\/(report|export)/],
  [
    'Calling and changing the service',
    /^src\/apply\/|^src\/cli\/(call|apply|operations|frame\/show)/,
  ],
  ['Running the service, alerts and mail', /^src\/serve\/|^src\/cli\/(serve|alert)/],
  ['Other commands', /^/],
]

if (import.meta.main) process.stdout.write(printTroubleshoot())
