import { z } from 'zod'

/** The part of JSON Schema that zod writes. */
export interface JsonSchema {
  type?: string
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  items?: JsonSchema
  enum?: readonly (string | number)[]
  const?: string | number | boolean
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  maxLength?: number
  format?: string
  /** Present if fields of any name are accepted. */
  additionalProperties?: unknown
}

/** Returns the JSON schema, without refinements that it cannot express. These are still checked. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest as JsonSchema
}

/** Lists the fields of a schema, nested ones by their path: `phone_numbers[].status*: boolean`. */
export function schemaLines(schema: JsonSchema, prefix = ''): string[] {
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const line = `${path}${required.has(name) ? '*' : ''}: ${typeOf(field)}`
    const inner = field.type === 'array' ? field.items : field
    const below = `${path}${field.type === 'array' ? '[]' : ''}.`
    return [line, ...(inner === undefined ? [] : schemaLines(inner, below))]
  })
}

function typeOf(field: JsonSchema): string {
  if (field.const !== undefined) return JSON.stringify(field.const)
  if (field.enum !== undefined) return field.enum.join(' | ')
  if (field.type !== 'array') return [field.format ?? field.type ?? 'any', bounds(field)].join('')
  const inner = field.items === undefined ? 'any' : typeOf(field.items)
  return `list of ${inner}${between(field.minItems, field.maxItems)}`
}

function bounds({ minimum, maximum, maxLength }: JsonSchema): string {
  if (maxLength !== undefined) return `, at most ${maxLength} characters`
  // An integer without declared bounds has the bounds of JavaScript's safe integers.
  const low = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum
  return between(low, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum)
}

function between(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return `, ${low} to ${high}`
  if (high !== undefined) return `, at most ${high}`
  return low === undefined ? '' : `, at least ${low}`
}
