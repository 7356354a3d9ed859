import type { SeedData } from '../seed-data/seed-data.ts'
import type { User } from '../users/users.ts'

/** Something that happened in a company's offices and of which subscribers are told. */
export interface Happening {
  event: string
  /** Some events tell their time as a date-time, as the documents say. */
  timed: 'integer' | 'date-time'
  /** Who did it, where that is told. */
  operator?: User
  object: Readonly<Record<string, unknown>>
  /** What is so from then on: the thing, in the warehouse's words, and its state. */
  now?: { thing: string; key: readonly string[]; state: string }
}

/** Where and with whom a scenario takes place. */
export interface Scene {
  seedData: SeedData
  /** Which of the rooms, desks, visitors and so on. */
  index: number
  h: number
  nowMs: number
  host: User
  operator: User
}

/** What happens one after the other to one thing. */
export type Scenario = (scene: Scene) => Happening[]
