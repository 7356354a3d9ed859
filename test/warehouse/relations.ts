import { streams } from '../../src/account/catalog.ts'
import type { Stream } from '../../src/core/define/stream.ts'

/** A column that refers to a column of another table. */
export interface Relation {
  from: string
  to: string
  /** The column, and the column it refers to. */
  by: readonly [string, string]
  /** True if at most one row refers to each row of the other table. */
  one: boolean
  /** True if the other row always exists, because this one was read from it. */
  known: boolean
}

export function parentOf({ sync }: Stream): Stream | undefined {
  return sync.kind === 'nested' || sync.kind === 'fan-out' ? sync.parent : undefined
}

/** Relations to the parent by the first columns of the key, and to other tables by the columns' sentences. */
export function relationsOf(stream: Stream): Relation[] {
  const parent = parentOf(stream)
  const { name: from, key, columns } = stream
  const upwards = (parent?.key ?? []).map((target, at): Relation => {
    const one = key.length === parent?.key.length
    return { from, to: parent?.name ?? '', by: [key[at] ?? '', target], one, known: true }
  })
  const sideways = Object.entries(columns).flatMap(([column, { about }]) =>
    referencesIn(about)
      .filter(([to]) => to !== parent?.name)
      .map(([to, target]): Relation => {
        const one = key.length === 1 && key[0] === column
        return { from, to, by: [column, target], one, known: false }
      }),
  )
  return [...upwards, ...sideways]
}

/** The columns of tables that a sentence names, such as `users.id`. */
export function referencesIn(about: string): [string, string][] {
  const named = [...about.matchAll(/(?<![.\w])([a-z_]+)\.([a-z_]+)/g)]
  return named
    .map(([, table = '', column = '']): [string, string] => [table, column])
    .filter(([table]) => streams.some(({ name }) => name === table))
}
