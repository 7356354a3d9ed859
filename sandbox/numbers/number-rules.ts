import type { SandboxCall } from '../protocol/call.ts'
import { findRow } from '../protocol/find-row.ts'
import { badParameter, refuse } from '../protocol/refusal.ts'

/** Number management's code for an invalid value or field. */
export const INVALID = 999

export const numberReads = {
  parameterCode: INVALID,
  scopes: ['number_management_numbers:read:admin'],
} as const
export const numberWrites = {
  parameters: [],
  parameterCode: INVALID,
  scopes: ['number_management_numbers:write:admin'],
} as const

export const PAGE = ['page_size', 'next_page_token'] as const

export function pageRules(items: string, maximum: number) {
  return { items, maximum, tokenCode: 1003100, parameterCode: INVALID, total: true }
}

export function numberOf(call: SandboxCall, id: string | undefined): number {
  const index = findRow(call, 'numbers', id)
  if (index === undefined) throw refuse(400, 100002, 'Phone number not found.')
  return index
}

/** Finds the numbers with these IDs, without repetitions. */
export function numbersOf(call: SandboxCall, ids: readonly string[]): number[] {
  return [...new Set(ids)].map((id) => numberOf(call, id))
}

/** Refuses a body without a product; this refusal has its own code. */
export function requireProduct(call: SandboxCall): void {
  if (call.body !== undefined && fieldOf(call, 'allocated_product') === undefined)
    throw refuse(400, '1002_006', 'Product is required.')
}

/** Refuses a list with more than `most` items. The body's schema checks everything else. */
export function boundList(list: unknown, most: number, refusal: [number | string, string]): void {
  if (Array.isArray(list) && list.length > most) throw refuse(400, ...refusal)
}

/** Returns a field of the body, or undefined if the body is not an object. */
export function fieldOf({ body }: SandboxCall, name: string): unknown {
  return typeof body === 'object' && body !== null
    ? (body as Record<string, unknown>)[name]
    : undefined
}

/** Returns the values of a required parameter. Empty texts count as missing. */
export function requireValues(call: SandboxCall, name: string): readonly string[] {
  const values = call.values(name).filter((value) => value !== '')
  if (values.length === 0) throw badParameter(name, 'is required', INVALID)
  return values
}
