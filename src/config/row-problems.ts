import { partFieldRefusal, partFields, partRefusal } from '../core/records/row-rules.ts'
import { unknownName } from './column-problems.ts'
import { spell } from './explain.ts'
import type { Catalog } from './fields.ts'
import type { Yaml } from './read-yaml.ts'
import type { Config } from './schema.ts'

/** Describes each entry of `accounts[].rows` that is not possible: its place in the file, and the reason. */
export function rowProblems(
  { accounts }: Config,
  yaml: Yaml,
  { streams = [], files = [] }: Pick<Catalog, 'streams' | 'files'>,
): string[] {
  const known = streams.map(({ name }) => name)
  return accounts.flatMap(({ rows, columns }, index) =>
    Object.entries(rows).flatMap(([name, fields]) => {
      const above = ['accounts', index, 'rows']
      const problem = (
        path: (string | number)[],
        key: string,
        why: string | undefined,
      ): string[] =>
        why === undefined ? [] : [`${yaml.placeOfKey(path, key)} ${spell([...path, key])} ${why}`]
      const stream = streams.find((one) => one.name === name)
      if (stream === undefined)
        return problem(above, name, unknownName(name, { what: 'stream', known }))
      const refused = partRefusal(stream, files)
      if (refused !== undefined) return problem(above, name, refused)
      return Object.keys(fields).flatMap((field) => {
        const [first = ''] = field.split('.')
        const fieldsKnown = partFields(stream)
        const why = fieldsKnown.includes(first)
          ? partFieldRefusal({ stream, field, columns, streams })
          : unknownName(first, { what: `field of ${name}`, known: fieldsKnown })
        return problem([...above, name], field, why)
      })
    }),
  )
}
