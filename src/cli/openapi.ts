import { pathNames } from '../core/define/check-call.ts'
import { type DeclaredError, type Operation, successOf } from '../core/define/operation.ts'
import { schemaOf } from './frame/schema-lines.ts'

/** Describes operations as an OpenAPI 3.1 document, served at `url` beside their authorization server. */
export function openApiOf(
  operations: readonly Operation[],
  { url, authUrl, version }: { url: string; authUrl: string; version: string },
): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations)
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation)
  return {
    openapi: '3.1.0',
    info: {
      title: 'The simulated service',
      version,
      description:
        'What the sandbox of Callsheet answers. Records hold more fields than are named.',
    },
    servers: [{ url }],
    paths,
    components: {
      securitySchemes: {
        oauth: { type: 'oauth2', flows: flowsOf(operations, authUrl) },
        session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Signed with HS256 by the key and the secret of the video-session app.',
        },
      },
      schemas: { Error: ERROR },
    },
  }
}

function describe(operation: Operation): object {
  const { id, summary, body, beta, needs, rate, unavailableIn = [] } = operation
  const remarks = [
    `Counts under the label ${rate}.`,
    ...(needs === undefined ? [] : [`Needs ${needs}.`]),
    ...(beta === true ? ['Beta.'] : []),
    ...unavailableIn.map((cluster) => `Not in the ${cluster} cluster.`),
  ]
  return {
    operationId: id,
    summary,
    description: remarks.join(' '),
    parameters: [...inPath(operation), ...inQuery(operation)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { [JSON_TYPE]: { schema: schemaOf(body) } } } }),
    responses: { ...success(operation), ...refusals(operation) },
    security: securityOf(operation),
  }
}

function inPath(operation: Operation): object[] {
  return pathNames(operation).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(operation.encodeTwice?.[name] === 'odd-slashes'
      ? { description: 'Encoded twice where it begins with + or /, or holds //.' }
      : {}),
  }))
}

function inQuery({ query }: Operation): object[] {
  const { properties = {}, required = [] } = schemaOf(query)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    // A list repeats its parameter name.
    ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
  }))
}

function success(operation: Operation): Record<string, object> {
  const { status, empty } = successOf(operation)
  if (status === 204 || empty === true) return { [status]: { description: 'Done' } }
  const file = operation.id.endsWith('.download')
  const content = file
    ? { 'application/octet-stream': {} }
    : { [JSON_TYPE]: { schema: schemaOf(operation.response) } }
  return { [status]: { description: file ? 'The file' : 'The answer', content } }
}

/** Returns the documented errors by status, and those that any call can return. */
function refusals({ errors = [] }: Operation): Record<string, object> {
  const byStatus = new Map<number, DeclaredError[]>()
  for (const error of errors)
    byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error])
  const content = { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Error' } } }
  const known = [...byStatus].map(([status, all]) => {
    const description = all.map(({ code, means }) => `${code}: ${means}`).join('\n\n')
    return [status, { description, content }] as const
  })
  return {
    401: { description: 'The bearer is missing or not valid', content },
    429: { description: 'The rate limit of the label is exceeded', content },
    ...Object.fromEntries(known),
  }
}

/** Any one scope allows the call, so each is a separate alternative. */
function securityOf({ bearer, scopes, granularScopes }: Operation): object[] {
  if (bearer === 'jwt') return [{ session: [] }]
  const each = [...scopes, ...granularScopes]
  return each.length === 0 ? [{ oauth: [] }] : each.map((scope) => ({ oauth: [scope] }))
}

function flowsOf(operations: readonly Operation[], authUrl: string): object {
  const named = operations.flatMap(({ scopes, granularScopes }) => [...scopes, ...granularScopes])
  const scopes = Object.fromEntries([...new Set(named)].toSorted().map((scope) => [scope, '']))
  const tokenUrl = `${authUrl}/oauth/token`
  const authorizationUrl = `${authUrl}/oauth/authorize`
  return {
    clientCredentials: { tokenUrl, scopes },
    authorizationCode: { authorizationUrl, tokenUrl, refreshUrl: tokenUrl, scopes },
  }
}

const JSON_TYPE = 'application/json'
const ERROR = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: ['integer', 'string'] },
    message: { description: 'Text; with code 1000 a list of what failed' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}
