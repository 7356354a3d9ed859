import { notificationRefusal } from '../core/notifications/column-fields.ts'
import { NOTIFICATIONS } from '../core/records/column-policy.ts'
import { columnRefusal, policyFields } from '../core/records/column-rules.ts'
import { partFieldRefusal } from '../core/records/row-rules.ts'
import { spell } from './explain.ts'
import type { Catalog } from './fields.ts'
import { hintFor } from './nearest.ts'
import type { Yaml } from './read-yaml.ts'
import type { Config } from './schema.ts'

/**
 * Describes each entry of `accounts[].columns` and `accounts[].rows` that is not possible: its place in the
 * file, and the reason.
 */
export function streamProblems(
  { accounts }: Config,
  yaml: Yaml,
  { streams = [], files = [] }: Pick<Catalog, 'streams' | 'files'>,
): string[] {
  const all = { streams, files }
  const problem = (path: (string | number)[], key: string, why: string | undefined): string[] =>
    why === undefined ? [] : [`${yaml.placeOfKey(path, key)} ${spell([...path, key])} ${why}`]
  const names = streams.map(({ name }) => name)
  return accounts.flatMap(({ columns, rows }, index) =>
    Object.entries({ columns, rows }).flatMap(([setting, given]) =>
      Object.entries(given).flatMap(([name, fields]) => {
        const path = ['accounts', index, setting]
        const stream = streams.find((one) => one.name === name)
        const isNotified = setting === 'columns' && name === NOTIFICATIONS
        if (stream === undefined && !isNotified) {
          const known = setting === 'columns' ? [...names, NOTIFICATIONS] : names
          return problem(path, name, `is not a stream; ${hintFor(name, known)}`)
        }
        const refusal = (field: string): string | undefined => {
          const action = columns[name]?.[field] ?? 'drop'
          if (stream === undefined) return notificationRefusal(field, action)
          const unknown = unknownField(field, stream)
          if (unknown !== undefined) return unknown
          return setting === 'columns'
            ? columnRefusal({ stream, field, action }, all)
            : partFieldRefusal({ stream, field, columns }, all)
        }
        return Object.keys(fields).flatMap((field) =>
          problem([...path, name], field, refusal(field)),
        )
      }),
    ),
  )
}

function unknownField(
  field: string,
  stream: Parameters<typeof policyFields>[0] & { name: string },
): string | undefined {
  const known = policyFields(stream)
  const [first = ''] = field.split('.')
  if (known.includes(first)) return undefined
  return `is not a field of ${stream.name}; ${hintFor(first, known)}`
}
