import type { PathName, QueryOf } from './define-operation.ts'
import type { Operation } from './operation.ts'
import type { Stream } from './stream.ts'

export type ColumnOf<S extends Pick<Stream, 'columns'>> = keyof S['columns'] & string

/**
 * The compiler's checks of a stream: each named column exists in it or in its parent, and its requests use
 * only parameters that their operations accept.
 */
export type CheckedStream<S extends Stream> = {
  key: readonly ColumnOf<S>[]
  subject?: readonly ColumnOf<S>[]
  person?: {
    known: readonly ColumnOf<S>[]
    called: readonly (readonly ColumnOf<S>[])[]
  }
  personal: readonly ColumnOf<S>[]
  volatile: readonly ColumnOf<S>[]
  expected?: readonly (ColumnOf<S> | Also<S>)[]
  aliases?: { readonly [Name in keyof NonNullable<S['aliases']>]: OwnColumn<S, Name> }
  sync: CheckedSync<S, S['sync']>
  deletions: CheckedDeletions<S, S['deletions']>
}

type Also<S extends Stream> = NonNullable<S['also']>[number]
type OwnColumn<S extends Stream, Name> = Name extends ColumnOf<S> ? unknown : never

type CheckedSync<S extends Stream, Sync> = Sync extends { kind: 'snapshot' }
  ? { requests(): readonly CheckedRequest<S['operation'], Requested<Sync, 'requests'>>[] }
  : Sync extends { kind: 'windows' }
    ? {
        cursor: ColumnOf<S>
        besidesColumn?: ColumnOf<S>
        request(...asked: never): CheckedRequest<S['operation'], Requested<Sync, 'request'>>
        besides?(): readonly CheckedRequest<S['operation'], Requested<Sync, 'besides'>>[]
        whole?(): CheckedRequest<S['operation'], Requested<Sync, 'whole'>>
        incremental?(
          ...asked: never
        ): CheckedArguments<S['operation'], Requested<Sync, 'incremental'>>
      }
    : Sync extends { kind: 'fan-out'; parent: infer Parent extends Stream }
      ? {
          order: ColumnOf<Parent>
          within?: { from: ColumnOf<Parent>; to: ColumnOf<Parent> }
          again?: { versions: readonly (ColumnOf<Parent> | '_hash')[] }
          request(...asked: never): CheckedRequest<S['operation'], Requested<Sync, 'request'>>
        }
      : unknown

/** The type of the request that the stream's function of this name returns. */
type Requested<Sync, Name> = Name extends keyof Sync
  ? Sync[Name] extends (...given: never) => infer Answer
    ? Answer extends readonly (infer One)[]
      ? One
      : Answer
    : never
  : never

/** The request's type if the operation accepts its arguments; otherwise a type that names the wrong ones. */
type CheckedRequest<Op extends Operation, Asked> = {
  arguments: CheckedArguments<Op, FieldOf<Asked, 'arguments'>>
  otherWays?: readonly (readonly CheckedArguments<Op, OtherWay<Asked>>[])[]
}

type OtherWay<Asked> =
  FieldOf<Asked, 'otherWays'> extends infer Ways
    ? Ways extends readonly (readonly (infer Args)[])[]
      ? Args
      : never
    : never

type CheckedArguments<Op extends Operation, Args> = NoOther<Args, 'query', keyof QueryOf<Op>> &
  NoOther<Args, 'path', PathName<Op['path']>>

/** Checks the names of all requests at once, so that a correct request does not hide a misspelled one. */
type NoOther<Args, Part extends string, Name> = [
  Exclude<KeyOf<FieldOf<Args, Part>>, Name>,
] extends [never]
  ? unknown
  : { [P in Part]: { [Other in Exclude<KeyOf<FieldOf<Args, Part>>, Name> & string]: never } }

/** The type of a field, in all members of a union that have it. */
type FieldOf<T, Name extends string> = T extends { readonly [N in Name]?: infer Given }
  ? Given
  : never

/** The keys of all members of a union. An index signature is refused, because its names cannot be checked. */
type KeyOf<T> = T extends unknown ? keyof T : never

type CheckedDeletions<S extends Stream, Gone> = Gone extends { by: 'detail'; operation: infer Op }
  ? {
      path(...row: never): Readonly<Record<PathOf<Op>, string>>
      expiresAt?: ColumnOf<S>
    }
  : unknown

type PathOf<Op> = Op extends Operation ? PathName<Op['path']> : never

/** The columns in `measuredBy`, and `countedBy` beside them, must belong to the parent. */
type CheckedNested<S extends Stream> = S['sync'] extends {
  kind: 'nested'
  parent: infer Parent extends Stream
  measuredBy: readonly (infer Name)[]
}
  ? [Exclude<Name | CountOf<S['sync']>, ColumnOf<Parent>>] extends [never]
    ? unknown
    : { sync: { measuredBy: never } }
  : unknown

type CountOf<Sync> = Sync extends { countedBy: infer Name } ? Name : never

/** Declares a stream. It compiles only if the names that `CheckedStream` and `CheckedNested` check exist. */
export function defineStream<const S extends Stream>(
  stream: S & CheckedStream<S> & CheckedNested<S>,
): S {
  return Object.freeze(stream)
}
