import type { CallArguments, Operation } from '../../core/define/operation.ts'
import { PageTokenError, TransportError } from '../../core/errors.ts'
import type { NextPage } from '../answers/page-fields.ts'

export function withNext(args: CallArguments, next: NextPage | undefined): CallArguments {
  return next === undefined ? args : { ...args, query: { ...args.query, ...next } }
}

export function nameOf(next: NextPage | undefined): string {
  return next === undefined ? '' : Object.entries(next).join()
}

/** Ends a list that leads back to a page that was asked for before, or has more pages than any list may. */
export function refuseLoop(
  { operation }: { operation: Operation },
  next: NextPage,
  asked: Set<string>,
): void {
  const tried = `reading the pages of ${operation.id}`
  const name = nameOf(next)
  if (asked.has(name))
    throw new PageTokenError('page_loop', { tried, came: 'a page token came a second time' })
  if (asked.size >= MAX_PAGES)
    throw new TransportError('too_many_pages', false, {
      tried,
      came: `more than ${MAX_PAGES} pages`,
    })
  asked.add(name)
}

const MAX_PAGES = 100_000
