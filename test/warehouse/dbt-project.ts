import { stringify } from 'yaml'
import { streams } from '../../src/account/catalog.ts'
import type { Column } from '../../src/core/define/column.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { OWNER } from '../../src/warehouse/schema/bookkeeping.ts'
import { REPORT_VIEWS } from '../../src/warehouse/schema/report-views.ts'
import { relationsOf } from './relations.ts'

/** A generic test of a source table, as dbt reads it from YAML. */
export type DataTest =
  | 'not_null'
  | { accepted_values: { arguments: { values: string[] }; config: object } }
  | { unique_key: { arguments: { columns: string[] } } }
  | { has_parent: { arguments: { columns: string[]; parent: string; parent_columns: string[] } } }

export interface SourceTable {
  name: string
  description: string
  config?: object
  data_tests: DataTest[]
  columns: { name: string; description: string; data_type?: string; data_tests?: DataTest[] }[]
}

/** The files of the dbt project in `packaging/dbt`, by their paths there. */
export function dbtProject(): Record<string, string> {
  const sources = [
    { name: 'callsheet', schema: 'report', description: SOURCE, tables: sourceTables() },
  ]
  return {
    'dbt_project.yml': yaml(PROJECT),
    'models/sources.yml': yaml({ version: 2, sources }),
    ...GENERIC_TESTS,
    ...Object.fromEntries(
      streams.map((stream) => [
        `models/staging/stg_callsheet__${stream.name}.sql`,
        staging(stream),
      ]),
    ),
  }
}

export function sourceTables(): SourceTable[] {
  const described = Object.entries(REPORT_VIEWS).map(([name, { about, columns }]) => ({
    name,
    description: about,
    data_tests: [],
    columns: Object.entries(columns).map(([column, said]) => ({ name: column, description: said })),
  }))
  return [...streams.map(tableOf), ...described]
}

function tableOf(stream: Stream): SourceTable {
  const { name, about, key, columns } = stream
  const owner = { name: 'account', description: OWNER.account, data_type: 'text' }
  return {
    name,
    description: about,
    config: {
      freshness: {
        warn_after: { count: 26, period: 'hour' },
        error_after: { count: 50, period: 'hour' },
      },
      loaded_at_query: loadedAt(name),
    },
    data_tests: [
      { unique_key: { arguments: { columns: ['account', ...key] } } },
      ...parentTests(stream),
    ],
    columns: [
      { ...owner, data_tests: ['not_null'] },
      ...Object.entries(columns).map(([column, declared]) => {
        const tests = columnTests(declared, key.includes(column))
        return {
          name: column,
          description: declared.about,
          data_type: declared.pg,
          ...(tests.length === 0 ? {} : { data_tests: tests }),
        }
      }),
    ],
  }
}

/** A table is as fresh as its last reading to the end in the account that was read longest ago. */
export function loadedAt(table: string): string {
  const oldest = `coalesce(min(coalesce(complete_to, 'epoch')), 'epoch')`
  return `select ${oldest} from report.freshness where "table" = '${table}'`
}

function columnTests({ pg, known = [] }: Column, inKey: boolean): DataTest[] {
  const tests: DataTest[] = inKey ? ['not_null'] : []
  // The service may add a value; Callsheet stores it and reports drift.
  const documented = pg === 'text' ? known.map(String) : []
  // A key has no nulls: a value that the service did not send is an empty text there.
  const values = inKey ? [...documented, ''] : documented
  if (documented.length > 0)
    tests.push({ accepted_values: { arguments: { values }, config: { severity: 'warn' } } })
  return tests
}

/** A row always has its parent, from which it was read. */
function parentTests(stream: Stream): DataTest[] {
  const pairs = relationsOf(stream).filter(({ known }) => known)
  const [first] = pairs
  if (first === undefined) return []
  const columns = ['account', ...pairs.map(({ by }) => by[0])]
  const parent_columns = ['account', ...pairs.map(({ by }) => by[1])]
  const parent = `source('callsheet', '${first.to}')`
  return [{ has_parent: { arguments: { columns, parent, parent_columns } } }]
}

function staging({ name, columns }: Stream): string {
  const list = ['account', ...Object.keys(columns)].map((column) => `  ${column}`).join(',\n')
  return `select\n${list}\nfrom {{ source('callsheet', '${name}') }}\n`
}

const yaml = (content: object): string =>
  `# Printed by npm run dbt\n${stringify(content, { lineWidth: 0 })}`

const SOURCE =
  "A communications platform's account, as Callsheet syncs it. Fresh means read to its end: " +
  'see freshness and coverage.'

const PROJECT = {
  name: 'callsheet',
  version: '1.0.0',
  'config-version': 2,
  profile: 'callsheet',
  'model-paths': ['models'],
  'test-paths': ['tests'],
  models: { callsheet: { staging: { '+materialized': 'view' } } },
}

/** Both return the rows that break the rule. */
const GENERIC_TESTS = {
  'tests/generic/unique_key.sql': `{% test unique_key(model, columns) %}
select {{ columns | join(', ') }}
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1
{% endtest %}
`,
  'tests/generic/has_parent.sql': `{% test has_parent(model, columns, parent, parent_columns) %}
select {{ columns | join(', ') }}
from {{ model }}
where ({{ columns | join(', ') }}) not in (select {{ parent_columns | join(', ') }} from {{ parent }})
{% endtest %}
`,
}
