import type { SeedData } from '../seed-data/seed-data.ts'
import type { User } from '../users/users.ts'

/** An event in a company's offices, about which subscribers are notified. */
export interface Happening {
  event: string
  /** How the event gives its time; some events have a date-time, as documented. */
  timed: 'integer' | 'date-time'
  /** Who caused it, if the event says so. */
  operator?: User
  object: Readonly<Record<string, unknown>>
  /** The new state, in the warehouse's words. */
  now?: { thing: string; key: readonly string[]; state: string }
}

/** The place and people of a scenario. */
export interface Scene {
  seedData: SeedData
  /** The index of the room, desk, visitor and so on. */
  index: number
  h: number
  nowMs: number
  host: User
  operator: User
}

/** The events of one thing, in order. */
export type Scenario = (scene: Scene) => Happening[]
