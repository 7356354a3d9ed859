import type { Plan } from './plan.ts'

/** A bug as a change of one place in the source. */
export interface PlantedBug {
  /** What the bug is, for the table. */
  what: string
  file: string
  find: string
  replace: string
  /** Looked for in storms, since ordinary seeds hardly meet it. */
  rare?: true
  /** Looked for in seeds with details, settings and boards, where alone it shows. */
  further?: true
  /** What is known to show it soonest. */
  shownBy?: Known
}

/** A seed, or a storm of that number; of its jobs only one, where that is enough. */
export type Known = ({ seed: number } | { storm: number }) & {
  job?: string
  /** What else it goes through than what was drawn. */
  besides?: Partial<Plan>
}
