import type { Config } from '../../src/config/schema.ts'
import { simulationConfig } from './config.ts'
import type { Plan } from './plan.ts'
import { SimulationDatabase } from './postgres.ts'
import { type Outcome, simulate } from './simulate.ts'
import { VirtualTime } from './virtual-time.ts'

/** Where plans are tried out, one after another, with a fresh database now and then. */
export class Lab {
  readonly #serverUrl: string
  readonly #name: string
  readonly #untilViolation: boolean
  readonly #config: Config
  readonly #remove: () => void
  readonly #time = new VirtualTime(0)
  #database: SimulationDatabase | undefined
  #tried = 0

  constructor(serverUrl: string, name: string, untilViolation: boolean) {
    this.#serverUrl = serverUrl
    this.#untilViolation = untilViolation
    this.#name = name
    const { config, remove } = simulationConfig()
    this.#config = config
    this.#remove = remove
    this.#time.install()
  }

  async try(plan: Plan): Promise<Outcome> {
    if (this.#tried % PLANS_PER_DATABASE === 0) await this.#renew()
    this.#tried++
    const database = this.#database as SimulationDatabase
    // Each has an account of its own, with the same rows and IDs as the others: tenants that must not mix.
    const account = `account-${this.#tried}`
    const untilViolation = this.#untilViolation
    return await simulate(plan, this.#time, {
      config: this.#config,
      database,
      account,
      untilViolation,
    })
  }

  async close(): Promise<void> {
    await this.#database?.drop()
    this.#remove()
  }

  async #renew(): Promise<void> {
    await this.#database?.drop()
    this.#database = await SimulationDatabase.create(
      this.#serverUrl,
      `${this.#name}_${this.#tried}`,
    )
  }
}

const PLANS_PER_DATABASE = 40
