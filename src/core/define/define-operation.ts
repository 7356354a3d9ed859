import type { z } from 'zod'
import type { CallArguments, Operation } from './operation.ts'

/** The names between braces in a path: `/users/{userId}` has `userId`. */
export type PathName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathName<Rest>
  : never

export type QueryOf<Op extends Operation> = z.input<Op['query']>

/** The fields that a type names itself, without its index signature. */
export type KnownField<T> = keyof {
  [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K]
} &
  string

/** The fields of an answer that contain a list. */
type ListField<Answer> = {
  [K in KnownField<Answer>]: NonNullable<Answer[K & keyof Answer]> extends readonly unknown[]
    ? K
    : never
}[KnownField<Answer>]

/**
 * The compiler's checks of an operation: `paging.items` is a list field of the answer, and each named path
 * placeholder or query parameter exists.
 */
export type CheckedOperation<Op extends Operation> = {
  paging?: Op['paging'] extends { items: string }
    ? { items: ListField<z.output<Op['response']>> }
    : unknown
  alsoCalled?: Readonly<Record<string, PathName<Op['path']>>>
  encodeTwice?: { readonly [Name in keyof NonNullable<Op['encodeTwice']>]: InPath<Op, Name> }
  names?: { readonly [Name in keyof NonNullable<Op['names']>]: InPath<Op, Name> }
  undocumented?: readonly (keyof QueryOf<Op>)[]
}

type InPath<Op extends Operation, Name> = Name extends PathName<Op['path']> ? unknown : never

/** The arguments of a call: every path placeholder, and any parameters of the query. */
export type ArgumentsOf<Op extends Operation> = string extends Op['path']
  ? CallArguments
  : ([PathName<Op['path']>] extends [never]
      ? { path?: Readonly<Record<string, never>> }
      : { path: Readonly<Record<PathName<Op['path']>, string>> }) & {
      query?: Readonly<Partial<QueryOf<Op>>>
    }

/** Declares an operation. It compiles only if the names that `CheckedOperation` checks exist. */
export function defineOperation<const Op extends Operation>(
  operation: Op & CheckedOperation<Op>,
): Op {
  return Object.freeze(operation)
}
