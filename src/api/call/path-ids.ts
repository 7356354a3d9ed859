import {
  type EncodingRule,
  type EncodingWay,
  isAmbiguous,
  wayOf,
} from '../../core/define/id-encoding.ts'
import type { CallArguments, Operation } from '../../core/define/operation.ts'

/** By placeholder, how the ID in the path of a call is encoded. */
export type PathWays = Readonly<Record<string, EncodingWay>>

/** All ways to encode the IDs of a call that are read otherwise in another one, the documents' way first. */
export function waysOf({ operation, args }: { operation: Operation; args: CallArguments }) {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return names.reduce<PathWays[]>(
    (all, name) => {
      const id = args.path?.[name] ?? ''
      if (!isAmbiguous(id)) return all
      const first = wayOf(documentedRule(operation, name), id)
      return [first, first === 'once' ? 'twice' : 'once'].flatMap((way) =>
        all.map((ways) => ({ ...ways, [name]: way as EncodingWay })),
      )
    },
    [{}],
  )
}

/** The documented encoding rule for IDs of this place; `once` if the documents give none. */
export function documentedRule({ encodeTwice }: Operation, name: string): EncodingRule {
  return encodeTwice?.[name] ?? 'once'
}
