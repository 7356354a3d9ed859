import type { Op } from '../../sandbox/protocol/apply-ops.ts'
import type { Kind } from '../../sandbox/seed-data/state.ts'
import { makeService, type SimulatedService } from '../../sandbox/server/service.ts'
import { drawEdits, type Editing } from './edits.ts'
import { type Lack, lackingNow, shutBy } from './lacks.ts'
import { drawMixEdits, drawNight, type MixEditing } from './mix-edits.ts'
import type { Plan } from './plan.ts'
import { Random } from './random.ts'
import { seedDataOptions, sizesOf } from './seed-data.ts'
import type { VirtualTime } from './virtual-time.ts'

export interface SourceOptions {
  plan: Plan
  time: VirtualTime
  say(text: string): void
  /** Rows of these kinds may have changed. */
  edited(kinds: ReadonlySet<Kind>): void
}

/** The service of a seed, and what its plan changes there while the account is read. */
export class Source {
  readonly service: SimulatedService
  edits = 0
  /** A session report was taken away: two readings an hour apart tell. */
  /** When a row was last changed. */
  editedAtMs = 0
  /** When something was last allowed, or not any more. */
  allowedAtMs = 0
  /** The streams that are not allowed now. */
  shut: ReadonlySet<string> = new Set()
  readonly #options: SourceOptions
  readonly #editing: Omit<Editing, 'nowMs'>
  readonly #mixRandom: Random
  #attempt = -1
  #requests = 0
  #lacking: readonly Lack[] = []

  constructor(options: SourceOptions) {
    const { plan, time } = options
    this.#options = options
    this.#editing = {
      random: new Random(plan.seed, 'edits'),
      sizes: sizesOf(plan),
      grown: new Map(),
      hot: plan.hot === true,
    }
    this.#mixRandom = new Random(plan.seed, 'mix edits')
    this.service = makeService(
      { ...seedDataOptions(plan), clock: time.clock() },
      { url: ORIGIN, apiUrl: ORIGIN, fileUrl: ORIGIN },
    )
  }

  /** The one after the last heals: what is lacking for a while is allowed again. */
  beginAttempt(attempt: number): void {
    this.#attempt = attempt
    this.#requests = 0
    if (attempt === this.#options.plan.attempts)
      this.#allow(this.#lacking.filter(({ forGood }) => forGood))
  }

  /** What the plan has for this request happens. */
  countRequest(): void {
    this.#requests++
    const { plan } = this.#options
    const isNow = ({ attempt, at }: { attempt: number; at: number }): boolean =>
      attempt === this.#attempt && at === this.#requests
    const lacks = plan.mix?.lacks.filter(isNow) ?? []
    if (lacks.length > 0) this.#allow([...this.#lacking, ...lacks])
    if (plan.edits.some(isNow)) this.#edit()
  }

  /** The edits of a day that a night finds. */
  editForNight(): void {
    this.#apply(drawNight(this.#mixEditing()))
  }

  #edit(): void {
    const { plan, time } = this.#options
    const ops = drawEdits({ ...this.#editing, nowMs: time.nowMs })
    if (plan.mix !== undefined) ops.push(...drawMixEdits(this.#mixEditing()))
    this.#apply(ops)
  }

  #mixEditing(): MixEditing {
    const { plan, time } = this.#options
    const { sizes } = this.#editing
    return { random: this.#mixRandom, sizes, nowMs: time.nowMs, jobs: plan.jobs }
  }

  #apply(ops: readonly Op[]): void {
    const { time, say, edited } = this.#options
    this.service.mutate({ ops })
    this.edits += ops.length
    this.editedAtMs = time.nowMs
    say(`EDIT ${JSON.stringify(ops)}`)
    edited(new Set(ops.map(({ kind }) => kind)))
  }

  #allow(lacking: readonly Lack[]): void {
    const { time, say } = this.#options
    if (lacking.length === this.#lacking.length) return
    this.#lacking = lacking
    this.shut = shutBy(lacking)
    this.allowedAtMs = time.nowMs
    this.service.allow(lackingNow(lacking))
    say(`LACKS ${lacking.map(({ what }) => what).join(', ')}`)
  }
}

const ORIGIN = 'http://127.0.0.1:8080'
