import { z } from 'zod'
import { ALLOCATIONS, PRODUCTS } from '../core/define/word-fields.ts'

/** E.164, the service's format for numbers. */
export const e164 = z.string().regex(/^\+[1-9]\d{1,14}$/, 'a number as +14155550100')

export const product = z.enum(PRODUCTS)
export const allocation = z.enum(ALLOCATIONS)

export const numberScopes = {
  read: ['number_management_numbers:read:admin'],
  write: ['number_management_numbers:write:admin'],
}
/** Error codes of the number-management lists for a page token that is invalid or expired. */
export const pageTokenCodes = ['1003100', '300']
