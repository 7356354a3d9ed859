import type { z } from 'zod'
import { ConfigurationError } from '../errors.ts'
import type { CallArguments, Operation } from './operation.ts'

/** Checks a call before it is sent. Throws a ConfigurationError that names each wrong place, but no value. */
export function checkCall(operation: Operation, args: CallArguments, body: unknown): void {
  const problems = [
    ...pathProblems(operation, args.path ?? {}),
    ...issuesOf(operation.query, 'query', args.query ?? {}),
    ...bodyProblems(operation, body),
  ]
  if (problems.length === 0) return
  const count = `the call has ${problems.length} problem${problems.length === 1 ? '' : 's'}`
  throw new ConfigurationError('invalid_call', {
    tried: `Calling ${operation.id}`,
    came: [count, ...problems].join('\n  '),
    todo:
      `correct the call; callsheet operations ${operation.id} shows the form of the call; ` +
      'nothing was sent',
  })
}

export function pathNames({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

function pathProblems(operation: Operation, given: NonNullable<CallArguments['path']>): string[] {
  return pathNames(operation)
    .filter((name) => (given[name] ?? '') === '')
    .map((name) => `${name}: missing from the path`)
}

function bodyProblems({ body: schema }: Operation, body: unknown): string[] {
  if (schema === undefined) return body === undefined ? [] : ['body: this call takes no body']
  return body === undefined ? ['body: missing'] : issuesOf(schema, 'body', body)
}

function issuesOf(schema: z.ZodType, part: string, value: unknown): string[] {
  const checked = schema.safeParse(value)
  if (checked.success) return []
  return checked.error.issues.map(({ path, message }) => `${[part, ...path].join('.')}: ${message}`)
}
