import type { Config } from '../../src/config/schema.ts'
import type { SimulationDatabase } from './postgres.ts'

/** Where a plan is gone through. */
export interface Place {
  /** The name that the simulated account goes by in the database. */
  account: string
  config: Config
  database: SimulationDatabase
  /** Ends at the first violation instead of going on to the end. */
  untilViolation: boolean
}

/** A violation was seen, and nothing else was looked for. */
export class Shown extends Error {}
