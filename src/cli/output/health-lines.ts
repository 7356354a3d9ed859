import type { Cause } from '../../core/define/cause.ts'
import { utcMinutes } from '../../core/time/time.ts'
import { levelOf } from '../../service/health/order.ts'
import { asCalled } from '../frame/called-as.ts'
import type { Output } from '../frame/output.ts'

/** Each cause with what to do and since when; without one, a line of what was checked for causes. */
export function printHealth(
  output: Output,
  causes: readonly Cause[],
  checked: keyof typeof WELL,
): void {
  if (causes.length === 0) output.line(WELL[checked])
  for (const { level, code, sentence, todo, sinceMs } of causes) {
    output.line(`${level.toUpperCase()} ${code}: ${sentence} Since ${utcMinutes(sinceMs)} UTC.`)
    output.line(`  ${asCalled(todo)}`)
  }
}

export function healthJson(causes: readonly Cause[]): object {
  return {
    level: levelOf(causes),
    causes: causes.map(({ account = null, sinceMs, ...cause }) => ({
      ...cause,
      account,
      since: new Date(sinceMs).toISOString(),
    })),
  }
}

/** That nothing needs a person is said of an account alone: what all share may be well while one is not. */
const WELL = {
  installation: 'The disks have enough space.',
  account:
    'Nothing needs a person. Checked: its jobs, the deletion guard, its login and permissions, files that ' +
    'expire, erasures, evidence, the daily quota, how much data comes and notifications.',
}
