import type { z } from 'zod'
import type { SandboxCall } from './call.ts'
import { badParameter, refuse } from './refusal.ts'

/**
 * Validates a body by the sandbox's own reading of the documents. The refusal names the field and has the
 * operation's code for a wrong parameter.
 */
export function readBody<T>({ body }: SandboxCall, schema: z.ZodType<T>, code: number): T {
  if (body === undefined) throw refuse(400, code, 'A body is required.')
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const field = issue?.path.join('.') ?? ''
  throw badParameter(field === '' ? 'body' : field, issue?.message ?? 'is not valid', code)
}
