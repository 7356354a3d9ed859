import { z } from 'zod'

/** E.164, as the service writes numbers. */
export const e164 = z.string().regex(/^\+[1-9]\d{1,14}$/, 'a number as +14155550100')

/** Without `UNALLOCATED`. */
export const PRODUCTS = ['SVC_PHONE', 'SVC_CONTACT_CENTER'] as const
export const product = z.enum(PRODUCTS)
export const allocation = z.enum(['UNALLOCATED', ...PRODUCTS])

export const numberScopes = {
  read: ['number_management_numbers:read:admin'],
  write: ['number_management_numbers:write:admin'],
}
/** The service's codes for a page token that is invalid or expired. */
export const pageTokenCodes = ['1003100', '300']
