import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'

type NumberPrices = Readonly<Record<string, Readonly<Record<string, number>>>>

/** The setting for the prices of numbers. */
export const numberPrices = () =>
  z
    .record(z.string().min(1), z.record(z.string().min(1), z.number().min(0)))
    .default({})
    .describe('The monthly price of a number, by country and type: {NL: {Toll: 1.5}}.')

/** The name of that setting in the configuration, for texts. */
export const PRICES_SETTING = 'reports.settings.number-inventory.prices'

/** Returns a number's monthly price; null if no price is known, because an unknown price is not zero. */
export function numberPrice(prices: NumberPrices): RawBuilder<number | null> {
  return sql`(${JSON.stringify(prices)}::jsonb -> location_country ->> number_type)::float8`
}
