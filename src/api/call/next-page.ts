import type { CallArguments } from '../../core/define/operation.ts'
import type { NextPage } from '../answers/page-fields.ts'

export function withNext(args: CallArguments, next: NextPage | undefined): CallArguments {
  return next === undefined ? args : { ...args, query: { ...args.query, ...next } }
}

export function nameOf(next: NextPage | undefined): string {
  return next === undefined ? '' : Object.entries(next).join()
}
