import type { Clock } from '../../src/core/time/clock.ts'
import type { Door } from '../access/auth.ts'
import type { Mailroom } from '../notices/mailroom.ts'
import type { FaultPlan } from '../protocol/faults.ts'
import type { Limiter } from '../protocol/limiter.ts'
import type { PageTokens } from '../protocol/page-tokens.ts'
import type { Stats } from '../protocol/stats.ts'
import type { Readings } from '../readings/readings.ts'
import type { Credentials, Habits, LabelQuotas, Switches } from '../seed-data/options.ts'
import type { SeedData } from '../seed-data/seed-data.ts'

/** What all requests of one sandbox share. */
export interface SandboxContext {
  seed: number
  /** The sandbox's own clock: the given one, moved on by whatever was asked of the admin endpoint. */
  clock: Clock
  advance(ms: number): void
  apps: readonly Credentials[]
  seedDataByAccount: ReadonlyMap<string, SeedData>
  habits: Habits
  readings: Readings
  quotas: LabelQuotas
  tokens: PageTokens
  door: Door
  limiter: Limiter
  faults: FaultPlan
  stats: Stats
  switches: Switches
  mailroom: Mailroom
  baseUrl: string
  /** The origin where operations are answered: that of `baseUrl`, unless the API is read to be elsewhere. */
  apiUrl: string
  /** The origin of the files: the API's own, unless they are read to lie elsewhere. */
  fileUrl: string
  saveState(): void
}
