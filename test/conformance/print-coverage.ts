import type { Fact } from './fact.ts'
import { FACTS } from './rows/all.ts'
import { DROPPED } from './rows/dropped.ts'
import { SECTIONS } from './sections.ts'

/** `docs/internals/api-coverage.md`: what the documents say, by section, and what checks it here. */
export function printCoverage(): string {
  const page = [
    ...INTRODUCTION,
    ...[1, 2, 3].flatMap((document) => ['', `## Document ${document}`, '', ...tableOf(document)]),
    '',
    ...without('not held', 'Not held'),
    ...without('not built', 'Not built'),
    ...without('open', 'Left open by the documents'),
    '## Kept nowhere, on purpose',
    '',
    'Every other field of the records that are synced is a column, or a member of one of JSON.',
    '',
    ...Object.entries(DROPPED).map(([field, reason]) => `- \`${field}\` ${reason}.`),
  ]
  return `${page.join('\n').trimEnd()}\n`
}

function tableOf(document: number): string[] {
  const sections = SECTIONS.filter((section) => section.document === document && section.rows > 0)
  return [
    '| section | rows | facts | checked | by a test | open | not built | not held | tests |',
    '|---|---|---|---|---|---|---|---|---|',
    ...sections.map(({ id, rows }) => {
      const facts = FACTS.filter(({ section }) => section === id)
      const counts = ['check', 'test', 'open', 'not built', 'not held'].map(
        (state) => facts.filter((fact) => stateOf(fact) === state).length || '',
      )
      return `| ${[id, rows, facts.length, ...counts, filesOf(facts)].join(' | ')} |`
    }),
  ]
}

function filesOf(facts: readonly Fact[]): string {
  const files = facts.flatMap(({ held }) => {
    if (held.by === 'nothing') return []
    return held.by === 'check' ? 'conformance/answers' : held.file.slice(5, -'.test.ts'.length)
  })
  return [...new Set(files)].map((file) => `\`${file}\``).join(', ')
}

function without(state: string, title: string): string[] {
  const byReason = Map.groupBy(
    FACTS.filter((fact) => stateOf(fact) === state),
    ({ held }) => (held.by === 'nothing' ? held.reason : ''),
  )
  const lines = [...byReason].map(
    ([reason, facts]) => `- ${facts.map(({ id }) => `\`${id}\``).join(', ')}: ${reason}.`,
  )
  return [`## ${title}`, '', ...(lines.length === 0 ? ['Nothing.'] : lines), '']
}

function stateOf({ held }: Fact): string {
  return held.by === 'nothing' ? held.state : held.by
}

const INTRODUCTION = [
  '# What of the API is covered',
  '',
  'Printed by `npm run api-coverage` from the tables in `test/conformance/`; a test holds that this is what',
  'they say. A row is a line of a table, an item of a list or a line of prose of the documents, as',
  '`node test/conformance/count-rows.ts DIRECTORY` counts them. A fact is one of the things that a row says:',
  'an operation, a field, a list of values, a transition, a refusal, a limit. *Checked* facts are looked for',
  'in the answers of the sandbox and in the streams themselves; the others name the test that would fail.',
]

if (import.meta.main) process.stdout.write(printCoverage())
