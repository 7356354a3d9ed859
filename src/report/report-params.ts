import type { z } from 'zod'
import type { Report } from '../core/define/report.ts'
import { ConfigurationError } from '../core/errors.ts'

/** Parses parameters by the report's schema. Rejects unknown parameters by name. */
export function readParams({
  report,
  params,
}: {
  report: Report
  params: Readonly<Record<string, unknown>>
}): Record<string, unknown> {
  const given = Object.fromEntries(
    Object.entries(params).filter(([, value]) => value !== undefined),
  )
  const read = report.params.strict().safeParse(given)
  if (read.success) return read.data
  throw new ConfigurationError('report_params', {
    tried: `Reading the parameters of the report ${report.name}`,
    expected: `only ${Object.keys(report.params.shape).join(', ') || 'no parameters'}`,
    came: read.error.issues.map(faultOf).join('; '),
    todo: 'correct or leave out the parameter',
  })
}

function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `also ${issue.keys.join(', ')}`
  return `${issue.path.join('.')}: ${issue.message}`
}
