import { header } from '../../api/answers/headers.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { quotasOf } from '../../config/quotas.ts'
import type { RateLabel } from '../../core/declare/operation.ts'
import { type Quota, type Quotas, RATE_LABELS } from '../../core/declare/quota.ts'
import type { Heard, Probe } from './probe.ts'

/** A limit as stated by the headers of an answer. */
interface StatedLimit {
  label: RateLabel
  unit: 'perSecond' | 'perMinute' | 'perDay'
  calls: number
}

/** The limits that answers state anyway: the probe exceeds none on purpose. */
export const limitHeaders: Probe = {
  id: 'limit-headers',
  lines: ['quotas', 'rate-limit'],
  assumption: 'headers that tell of a limit say what the configuration says',
  operations: [],
  mostReads: 0,
  run({ seen, settings }) {
    const heard = seen.answers.filter(({ headers }) => header(headers, LIMIT) !== undefined)
    const told = smallest(heard.flatMap((one) => statedLimit(one) ?? []))
    const facts = { answers: heard.length, ...factsOf(told) }
    if (heard.length === 0) return { verdict: 'unclear', found: 'no answer told of a limit', facts }
    if (told.length === 0)
      return {
        verdict: 'differs',
        found: `${heard.length} answers name a limit, and not what it limits`,
        means: 'nothing can be learned of the quotas by them; a sync finds its rate by itself',
        facts,
      }
    const found = summary(told)
    const known = quotasOf(settings.quotas)
    const news = told.filter(({ label, unit, calls }) => limitOf(known[label], unit) !== calls)
    if (news.length === 0) return { verdict: 'holds', found: `${found}, as configured`, facts }
    const contradicted = news.some(({ label, unit }) => limitOf(known[label], unit) !== undefined)
    const quotas = adopted(settings.quotas, told)
    if (!contradicted) return { verdict: 'holds', found, facts, settings: { quotas } }
    return {
      verdict: 'differs',
      found,
      means:
        'a sync keeps to the configured quotas: too slow, or refused until it has found its rate',
      facts,
      settings: { quotas },
    }
  },
}

/** Undefined if a header is missing or describes another quota than the one that was hit. */
function statedLimit({ headers, status, error }: Heard): StatedLimit | undefined {
  const category = header(headers, 'x-ratelimit-category')?.trim().toUpperCase()
  const label = RATE_LABELS.find((one) => one === category)
  const calls = Number(header(headers, LIMIT))
  const type = header(headers, 'x-ratelimit-type') ?? ''
  const daily = /daily/i.test(type)
  if (label === undefined || !Number.isInteger(calls) || calls < 1) return undefined
  if (!daily && !/^qps$/i.test(type)) return undefined
  if (status === 429 && daily !== /daily|per.day/i.test(error?.message ?? '')) return undefined
  const rate = label === 'RESOURCE-INTENSIVE' ? 'perMinute' : 'perSecond'
  return { label, unit: daily ? 'perDay' : rate, calls }
}

/** All four labels: the stated limits, or else the configured ones, with a plan's figures written out. */
function adopted(
  setting: AccountSettings['quotas'],
  told: readonly StatedLimit[],
): AccountSettings['quotas'] {
  const known = quotasOf(setting)
  const merged = RATE_LABELS.map((label) => {
    const limits = told.filter((one) => one.label === label)
    if (limits.length === 0) return [label, known[label]]
    const before = known[label] === 'learn' ? {} : known[label]
    return [
      label,
      { ...before, ...Object.fromEntries(limits.map(({ unit, calls }) => [unit, calls])) },
    ]
  })
  return Object.fromEntries(merged) as Exclude<AccountSettings['quotas'], string>
}

/** Of different statements on one limit, the smallest. */
function smallest(told: readonly StatedLimit[]): StatedLimit[] {
  const kept = new Map<string, StatedLimit>()
  for (const one of told) {
    const key = `${one.label} ${one.unit}`
    if (one.calls < (kept.get(key)?.calls ?? Number.POSITIVE_INFINITY)) kept.set(key, one)
  }
  return [...kept.values()]
}

function limitOf(quota: Quotas[RateLabel], unit: keyof Quota): Quota[keyof Quota] {
  return quota === 'learn' ? undefined : quota[unit]
}

function factsOf(told: readonly StatedLimit[]): Record<string, number> {
  return Object.fromEntries(told.map(({ label, unit, calls }) => [`${label} ${unit}`, calls]))
}

function summary(told: readonly StatedLimit[]): string {
  return Object.entries(factsOf(told))
    .map(([name, calls]) => `${name} ${calls}`)
    .join(', ')
}

const LIMIT = 'x-ratelimit-limit'
