import { z } from 'zod'

/** The setting for the currency of a report's prices. */
export const currency = () =>
  z
    .string()
    .regex(/^[A-Z]{3}$/, 'three capital letters, e.g. EUR')
    .default('EUR')
    .describe('The currency of the prices.')
