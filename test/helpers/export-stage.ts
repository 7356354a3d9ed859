import type { AuditScope } from '../../src/audit/bundle/audit-selection.ts'
import { exportAudit } from '../../src/audit/bundle/export-audit.ts'
import type { ExportedAudit, ExportOptions } from '../../src/audit/bundle/exporting.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { ACCOUNT, type EvidenceStage, STREAMS } from './evidence-stage.ts'

/** Exports a stage's data of June 2026. */
export async function exportStage(
  { warehouse, store, key }: EvidenceStage,
  path: string,
  {
    scope = {},
    ...more
  }: Partial<Omit<ExportOptions, 'scope'>> & { scope?: Partial<AuditScope> } = {},
): Promise<ExportedAudit> {
  const { signal } = new AbortController()
  const period = { from: '2026-06-01T00:00:00Z', to: '2026-07-01T00:00:00Z' }
  const whole = { account: ACCOUNT, ...period, whiteboard: undefined, user: undefined, ...scope }
  return await exportAudit(
    { warehouse, clock: systemClock },
    {
      scope: whole,
      store,
      key,
      previousKeys: [],
      streams: STREAMS,
      path,
      by: 'a test',
      signal,
      ...more,
    },
  )
}
