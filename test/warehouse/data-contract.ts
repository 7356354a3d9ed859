import { stringify } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { streams } from '../../src/account/catalog.ts'
import type { PgType } from '../../src/core/define/column.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { OWNER } from '../../src/warehouse/schema/bookkeeping.ts'
import { relationsOf } from './relations.ts'

/** The data contract of the tables, by the Open Data Contract Standard 3.1. */
export function dataContract(): string {
  const contract = {
    apiVersion: 'v3.1.0',
    kind: 'DataContract',
    id: 'callsheet',
    name: 'Callsheet',
    version: packageJson.version,
    status: 'active',
    description: {
      purpose: "A complete copy of a communications platform's account, for reports and audits.",
      usage: 'Read the views in the schema report.',
      limitations:
        'A table is complete up to complete_to in report.freshness, and only while whole is true there.',
    },
    schema: streams.map(objectOf),
    slaProperties: [
      { property: 'frequency', value: 1, unit: 'd' },
      {
        property: 'latency',
        value: 26,
        unit: 'h',
        description: 'complete_to in report.freshness is younger.',
      },
    ],
  }
  return `# Printed by npm run dbt\n${stringify(contract, { lineWidth: 0 })}`
}

function objectOf(stream: Stream) {
  const { name, about, key, columns, personal } = stream
  const keys = ['account', ...key]
  const property = (column: string, pg: PgType, said: string) => {
    const at = keys.indexOf(column)
    return {
      name: column,
      physicalType: pg,
      logicalType: LOGICAL[pg],
      description: said,
      ...(at < 0 ? {} : { primaryKey: true, primaryKeyPosition: at + 1, required: true }),
      ...(pg === 'text[]' ? { items: { logicalType: 'string' } } : {}),
      ...(personal.includes(column) ? { classification: 'personal' } : {}),
    }
  }
  const parents = relationsOf(stream).filter(({ known }) => known)
  return {
    name,
    physicalName: `report.${name}`,
    physicalType: 'view',
    logicalType: 'object',
    description: about,
    properties: [
      property('account', 'text', OWNER.account),
      ...Object.entries(columns).map(([column, { pg, about: said }]) => property(column, pg, said)),
    ],
    ...(parents.length === 0
      ? {}
      : {
          relationships: parents.map(({ to, by: [from, target] }) => ({
            type: 'foreignKey',
            from: [`${name}.account`, `${name}.${from}`],
            to: [`${to}.account`, `${to}.${target}`],
          })),
        }),
  }
}

const LOGICAL: Readonly<Record<PgType, string>> = {
  text: 'string',
  bigint: 'integer',
  boolean: 'boolean',
  timestamptz: 'timestamp',
  'text[]': 'array',
  jsonb: 'object',
}

if (import.meta.main) process.stdout.write(dataContract())
