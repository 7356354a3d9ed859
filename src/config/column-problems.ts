import { notificationRefusal } from '../core/notifications/column-fields.ts'
import { NOTIFICATIONS } from '../core/records/column-policy.ts'
import { columnRefusal, policyFields } from '../core/records/column-rules.ts'
import { spell } from './explain.ts'
import type { Catalog } from './fields.ts'
import { nearest } from './nearest.ts'
import type { Yaml } from './read-yaml.ts'
import type { Config } from './schema.ts'

/** Returns the fields that no account can drop or hash, each with its place in the file and the reason. */
export function columnProblems(
  { accounts }: Config,
  yaml: Yaml,
  { streams = [], files = [] }: Pick<Catalog, 'streams' | 'files'>,
): string[] {
  const names = [...streams.map(({ name }) => name), NOTIFICATIONS]
  return accounts.flatMap(({ columns }, index) =>
    Object.entries(columns).flatMap(([name, fields]) => {
      const above = ['accounts', index, 'columns']
      const problem = (path: (string | number)[], key: string, why: string): string =>
        `${yaml.placeOfKey(path, key)} ${spell([...path, key])} ${why}`
      const stream = streams.find((one) => one.name === name)
      if (stream === undefined && name !== NOTIFICATIONS)
        return [problem(above, name, unknownName(name, { what: 'stream', known: names }))]
      return Object.entries(fields).flatMap(([field, action]) => {
        const why =
          stream === undefined
            ? notificationRefusal(field, action)
            : fieldProblem({ stream, field, action }, { streams, files })
        return why === undefined ? [] : [problem([...above, name], field, why)]
      })
    }),
  )
}

function fieldProblem(
  named: Parameters<typeof columnRefusal>[0],
  all: Parameters<typeof columnRefusal>[1],
): string | undefined {
  const known = policyFields(named.stream)
  const [first = ''] = named.field.split('.')
  return known.includes(first)
    ? columnRefusal(named, all)
    : unknownName(first, { what: `field of ${named.stream.name}`, known })
}

export function unknownName(
  name: string,
  { what, known }: { what: string; known: readonly string[] },
): string {
  const meant = nearest(name, known)
  return `is not a ${what}; ${meant === undefined ? `known: ${known.join(', ')}` : `did you mean ${meant}?`}`
}
