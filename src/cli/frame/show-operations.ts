import type { z } from 'zod'
import { desired, jobs } from '../../account/catalog.ts'
import { nearest } from '../../config/nearest.ts'
import type { Job } from '../../core/define/job.ts'
import { type Operation, scopesOf, showsAccount, successOf } from '../../core/define/operation.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { operations } from '../../resources/declared.ts'
import type { Context } from './context.ts'
import { schemaLines, schemaOf } from './schema-lines.ts'
import { heading } from './table.ts'

/** Shows all operations that Callsheet knows, or one. Needs neither a configuration nor the network. */
export function showOperations({ output }: Context, id: string | undefined): number {
  if (id !== undefined) {
    const operation = findOperation(id)
    showOne(output.line, operation)
    output.result(describe(operation))
    return 0
  }
  output.table([
    HEADING,
    ...operations.map((operation) => [
      operation.id,
      `${operation.method} ${operation.path}`,
      operation.rate,
      usedBy(operation).join(', ') || '-',
      operation.summary,
    ]),
  ])
  output.result({ operations: operations.map(describe) })
  return 0
}

function showOne(line: (text: string) => void, operation: Operation): void {
  const { method, path, summary, scopes, granularScopes, rate, bearer, needs } = operation
  line(`${operation.id}: ${summary}`)
  line(`  ${method} ${path}, label ${rate}, ${bearer === 'jwt' ? 'session JWT' : 'OAuth token'}`)
  if (scopes.length > 0) line(`  scopes:   ${scopes.join(' or ')}`)
  if (granularScopes.length > 0) line(`  granular: ${granularScopes.join(' or ')}`)
  if (needs !== undefined) line(`  needs:    ${needs}`)
  if (operation.beta === true) line('  beta')
  for (const cluster of operation.unavailableIn ?? []) line(`  not in the ${cluster} cluster`)
  const { status, empty } = successOf(operation)
  line(`  answers:  ${status}${empty === true ? ' without a body' : ''}`)
  for (const { status: failed, code, means } of operation.errors ?? [])
    line(`  ${failed} ${code}: ${means}`)
  showFields(line, 'query', operation.query)
  showFields(line, 'body', operation.body)
  const used = usedBy(operation)
  if (used.length > 0) line(`  used by:  ${used.join(', ')}`)
}

function showFields(
  line: (text: string) => void,
  part: string,
  schema: z.ZodType | undefined,
): void {
  const lines = schema === undefined ? [] : schemaLines(schemaOf(schema))
  if (lines.length === 0) return
  line(`  ${part} (* is required):`)
  for (const text of lines) line(`    ${text}`)
}

function describe(operation: Operation): object {
  const { id, summary, method, path, scopes, granularScopes, rate, bearer } = operation
  const { beta = false, unavailableIn = [], needs = null, errors = [] } = operation
  return {
    id,
    summary,
    method,
    path,
    scopes,
    granularScopes,
    label: rate,
    bearer,
    adminOnly: isAdminOnly(operation),
    beta,
    unavailableIn,
    needs,
    query: schemaOf(operation.query),
    body: operation.body === undefined ? null : schemaOf(operation.body),
    success: successOf(operation),
    errors,
    readBy: readBy(operation),
    appliedFor: appliedFor(operation),
  }
}

/** Whether only scopes for the whole account allow the call. */
function isAdminOnly(operation: Operation): boolean {
  const all = scopesOf(operation)
  return all.length > 0 && all.every(showsAccount)
}

/** Returns the jobs whose streams or files need the call. */
function readBy(operation: Operation): string[] {
  return jobs.filter((job) => uses(job, operation)).map(({ name }) => name)
}

/** Returns the kinds of things that `callsheet apply` changes with the call. */
function appliedFor(operation: Operation): string[] {
  return desired.filter(({ writes }) => writes.includes(operation)).map(({ name }) => name)
}

/** Returns the jobs, and the kinds of things for `apply`. */
function usedBy(operation: Operation): string[] {
  return [...readBy(operation), ...appliedFor(operation).map((name) => `apply ${name}`)]
}

function uses({ streams, archive }: Job, operation: Operation): boolean {
  const files =
    archive !== undefined && [archive.download, archive.list.operation].includes(operation)
  return (
    files ||
    streams.some(
      (stream) =>
        stream.operation === operation ||
        (stream.deletions.by === 'detail' && stream.deletions.operation === operation),
    )
  )
}

/** Finds an operation by its id. The error suggests a similar id, if there is one. */
export function findOperation(id: string): Operation {
  const found = operations.find((one) => one.id === id)
  if (found !== undefined) return found
  const near = nearest(
    id,
    operations.map((one) => one.id),
  )
  throw new ConfigurationError('unknown_operation', {
    tried: 'Looking for an operation',
    came: `there is no operation ${id.slice(0, 60)}${near === undefined ? '' : `; did you mean ${near}?`}`,
    todo: 'run callsheet operations to list all operations',
  })
}

const HEADING = heading(['operation', 'call', 'label', 'used by', 'what it does'], {
  least: { call: 30, 'used by': 14, 'what it does': 30 },
  hide: ['used by', 'label', 'call'],
})
