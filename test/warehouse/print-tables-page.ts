import { streams } from '../../src/account/catalog.ts'
import type { Column } from '../../src/core/define/column.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { BOOKKEEPING, ENDING, OWNER } from '../../src/warehouse/schema/bookkeeping.ts'
import {
  type DescribedView,
  REPORT_VIEWS,
  VALIDITY,
} from '../../src/warehouse/schema/report-views.ts'
import { QUESTIONS, type Question } from './questions.ts'
import { parentOf, relationsOf } from './relations.ts'

/** Generates `docs/tables.md`: every table, its columns, and questions to ask of them. */
export function printTablesPage(): string {
  const page = [
    ...INTRODUCTION,
    ...diagram(),
    '',
    '## What every table has',
    '',
    ...sentences({ ...OWNER, ...BOOKKEEPING }),
    '',
    'A table in `history` has these besides:',
    '',
    ...sentences(ENDING),
    '',
    'A view `report.history_*` shows all versions of a table, and has these besides its columns:',
    '',
    ...sentences(VALIDITY),
    '',
    '## Completeness, calendar and labels',
    ...Object.entries(REPORT_VIEWS).flatMap(viewOf),
    '',
    '## Tables',
    ...inFamilies().flatMap(tableOf),
    '',
    '## Fifteen questions',
    '',
    'A test runs each of them on a small synced account, with the rights that `callsheet migrate --reporter`',
    'grants. Where one database holds several accounts, ask for `account` too.',
    ...QUESTIONS.flatMap(answerOf),
  ]
  return `${page.join('\n')}\n`
}

/** Each stream, followed by the streams read from its rows. */
function inFamilies(): Stream[] {
  const withChildren = (stream: Stream): Stream[] => [
    stream,
    ...streams.filter((child) => parentOf(child) === stream).flatMap(withChildren),
  ]
  return streams.filter((stream) => parentOf(stream) === undefined).flatMap(withChildren)
}

function diagram(): string[] {
  const families = inFamilies()
  const entities = families.flatMap(({ name, key, columns }) => [
    `  ${name} {`,
    ...key.map((column) => `    ${columns[column]?.pg ?? 'text'} ${column}`),
    '  }',
  ])
  const lines = families.flatMap(relationsOf).map(({ from, to, by, one, known }) => {
    const [column, target] = by
    const label = column === target ? column : `${target} = ${column}`
    return `  ${to} ${known ? '||--' : '|o..'}${one ? 'o|' : 'o{'} ${from} : "${label}"`
  })
  return ['```mermaid', 'erDiagram', ...entities, ...lines, '```']
}

function tableOf(stream: Stream): string[] {
  const { name, about, key, personal, columns } = stream
  const parent = parentOf(stream)
  const facts = [
    `Key: ${codes(['account', ...key])}.`,
    ...(parent === undefined ? [] : [`Belongs to \`${parent.name}\`.`]),
    ...(personal.length === 0 ? [] : [`About persons: ${codes(personal)}.`]),
  ]
  return [
    '',
    `### ${name}`,
    '',
    marked(about),
    '',
    facts.join(' '),
    '',
    '| column | type | what it holds |',
    '|---|---|---|',
    ...Object.entries(columns).map(
      ([column, declared]) => `| \`${column}\` | ${declared.pg} | ${heldBy(declared)} |`,
    ),
  ]
}

/** A column's sentence, and the known words of an enumeration; the sentence itself explains numbers. */
function heldBy({ about, pg, known = [] }: Column): string {
  return pg === 'text' && known.length > 0
    ? `${marked(about)} Known: ${codes(known.map(String))}.`
    : marked(about)
}

function viewOf([name, { about, columns }]: [string, DescribedView]): string[] {
  return ['', `### report.${name}`, '', about, '', ...sentences(columns)]
}

function sentences(columns: Readonly<Record<string, string>>): string[] {
  return [
    '| column | what it holds |',
    '|---|---|',
    ...Object.entries(columns).map(([name, about]) => `| \`${name}\` | ${marked(about)} |`),
  ]
}

function answerOf({ asked, note, sql }: Question, at: number): string[] {
  return ['', `### ${at + 1}. ${asked}`, '', note, '', '```sql', `${sql};`, '```']
}

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/** Formats names of columns and tables as code: Markdown would interpret their underscores. */
const marked = (about: string): string =>
  about.replaceAll(/\b[a-z]+(?:[_.][a-z_]+)+|_raw\b/g, (name) => `\`${name}\``)

const INTRODUCTION = [
  '# The tables',
  '',
  'Printed by `npm run docs:tables` from the declarations in `src/resources/`; a test holds that this is',
  'what they say. The same sentences are the comments in Postgres (`\\d+ svc.users` shows them).',
  '',
  '| schema | what it holds |',
  '|---|---|',
  '| `svc` | The rows as they are now. A row with `_deleted_at is null` is present; a deleted one stays. |',
  '| `history` | What the rows were before. Each version says from when, until when, and how it ended. |',
  '| `report` | Views without the bookkeeping: present rows, all versions, and how complete each table is. |',
  "| `callsheet` | The program's own ledgers: runs, what was read and when, drift, files, evidence, calls. |",
  '',
  'Every table of `svc` has one of the same name in `history`, and two views in `report`: `report.users` has',
  'the present rows, `report.history_users` all versions. BI tools should read only `report`. An empty text',
  'says that the service sent an empty field; null says that it sent none, or nothing that the column can',
  'hold.',
  '',
  'Three views work out one column more. `report.whiteboard_sessions` and `report.recording_sessions` have',
  '`state`; `report.whiteboard_collaborators` has `possibly_truncated`, for a list that may lack some.',
  '`report.notifications` and `report.room_alerts` show what the service sent by itself.',
  '',
  'The diagram shows the columns of each key but `account`, which begins every key. A solid line joins a row',
  'and what is read of it. A dotted line is an ID that refers to another table; the row need not be there.',
  '',
]

if (import.meta.main) process.stdout.write(printTablesPage())
